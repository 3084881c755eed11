import type {ComponentType} from "preact";
import {useEffect, useState} from "preact/hooks";

// A component whose code is loaded when it is first shown. If that fails, it throws an error for the reader.
export function deferred<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let code: ComponentType<P> | null = null; // shared by all places that show the component
  return function Deferred(props: P) {
    const [state, setState] = useState({Loaded: code, failed: false});
    useEffect(() => {
      if (state.Loaded) return;
      load().then(
        component => {
          code = component;
          setState({Loaded: component, failed: false});
        },
        () => setState({Loaded: null, failed: true}),
      );
    }, []);
    if (state.failed) {
      throw new Error("Its code could not be loaded. Reload the page; the portal may have another version now.");
    }
    if (state.Loaded) return <state.Loaded {...props} />;
    return (
      <p class="loading" role="status">
        loading…
      </p>
    );
  };
}
