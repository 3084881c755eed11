import type {ComponentChildren} from "preact";
import type {Resource} from "../hooks/use_resource";
import {Failure} from "./failure";

interface Props<T> {
  what: string; // for the message of a failure: "The list of tasks"
  resource: Resource<T>;
  children: (data: T) => ComponentChildren;
}

// Shows a resource: its data, the reason why there is none, or that it is being read.
export function ResourceView<T>({what, resource, children}: Props<T>) {
  const {data, error, loading, reload} = resource;
  return (
    <>
      {error && <Failure what={what} error={error} retry={reload} />}
      {data !== null
        ? children(data)
        : loading &&
          !error && (
            <p class="loading" role="status">
              Loading…
            </p>
          )}
    </>
  );
}
