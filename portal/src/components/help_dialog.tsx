import {SHORTCUTS} from "../pure/keys";
import {Dialog} from "./dialog";

export function HelpDialog({close}: {close: () => void}) {
  return (
    <Dialog title="Keyboard" close={close}>
      <dl class="shortcuts">
        {SHORTCUTS.map(({keys, meaning}) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p>Charts and timeline: the arrow keys move, + and - zoom, 0 shows everything.</p>
      <div class="buttons">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
