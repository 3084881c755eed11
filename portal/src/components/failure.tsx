import type {ApiError} from "../api/client";

// Why a part of the page has no data, or only old data, in the place of that part.
export function Failure({what, error, retry}: {what: string; error: ApiError; retry?: () => void}) {
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{what} could not be read.</strong> {error.message}
      </p>
      {error.advice && <p>{error.advice}</p>}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
