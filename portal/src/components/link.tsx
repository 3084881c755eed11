import type {ComponentChildren} from "preact";
import {navigate} from "../hooks/use_location";
import {urlOf, type Query} from "../pure/url_state";

interface LinkProps {
  to: string; // a path of the portal
  query?: Query;
  class?: string;
  label?: string;
  current?: boolean;
  tabIndex?: number;
  children: ComponentChildren;
}

// A link to a page of the portal. It changes the page without loading it, unless the user asks for another tab.
export function Link({to, query = {}, class: className, label, current, tabIndex, children}: LinkProps) {
  const url = urlOf(to, query);
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(url);
  };
  return (
    <a
      href={url}
      onClick={follow}
      class={className}
      aria-label={label}
      aria-current={current ? "page" : undefined}
      tabIndex={tabIndex}>
      {children}
    </a>
  );
}

// An address from a job's data is followed only if it is a web page.
export function ExternalLink({to, children}: {to: string; children: ComponentChildren}) {
  if (!/^https?:\/\//i.test(to)) return <span>{children}</span>;
  return (
    <a href={to} rel="noreferrer noopener" target="_blank">
      {children}
    </a>
  );
}

// A link to a file of the API, which the browser saves.
export function DownloadLink({to, children}: {to: string; children: ComponentChildren}) {
  return (
    <a href={to} download>
      {children}
    </a>
  );
}
