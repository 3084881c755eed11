import type {ComponentChildren} from "preact";
import {useEffect, useId, useRef} from "preact/hooks";

// A modal dialog. Escape closes it, and the focus returns to where it was.
export function Dialog({title, close, children}: {title: string; close: () => void; children: ComponentChildren}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onClose={close} onCancel={close}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
