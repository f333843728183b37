import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { pathOf, to } from '../client/address.ts';
import { announceNavigation } from '../client/navigation.ts';

export interface PageProps {
  /** Of the path: `/projects/:id` → `{ id }`. */
  params: Record<string, string>;
}

export interface Route {
  path: string;
  page: () => Promise<{ default: ComponentType<PageProps> }>;
  /** Readable without a session, and without the navigation around it. */
  open?: boolean;
}

interface Place {
  /** Without the path of the platform, such as `/projects/1`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The fragment: how the page is looked at (tab, item, step, colours). */
  readonly view: URLSearchParams;
}

const read = (): Place => ({
  path: pathOf(window.location.pathname),
  query: new URLSearchParams(window.location.search),
  view: new URLSearchParams(window.location.hash.slice(1)),
});

/** The address that is shown. A component that reads `place.value` is drawn again when it changes. */
export const place = signal<Place>(read());

/**
 * Goes to an address of the console: `go('/projects/1?x=1')`.
 * @param replace without an entry in the history
 */
export function go(path: string, { replace = false } = {}): void {
  const before = place.value.path;
  window.history[replace ? 'replaceState' : 'pushState'](null, '', to(path));
  place.value = read();
  if (place.value.path === before) return;
  announceNavigation();
  window.scrollTo(0, 0);
}

/** Changes members of the query; undefined removes one. A new entry in the history only if it is asked for. */
export function setQuery(changes: Record<string, string | undefined>, { push = false } = {}): void {
  const query = changed(place.value.query, changes);
  go(`${place.value.path}${query === '' ? '' : `?${query}`}${window.location.hash}`, { replace: !push });
}

/** Changes members of the fragment, in place. */
export function setView(changes: Record<string, string | undefined>): void {
  const view = changed(place.value.view, changes);
  const { path, query } = place.value;
  const before = query.toString();
  go(`${path}${before === '' ? '' : `?${before}`}${view === '' ? '' : `#${view}`}`, { replace: true });
}

function changed(params: URLSearchParams, changes: Record<string, string | undefined>): string {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  }
  return next.toString();
}

/** The route of a path, and its parameters. */
export function matchRoute<R extends { path: string }>(routes: readonly R[], path: string) {
  const parts = path.split('/');
  for (const route of routes) {
    const wanted = route.path.split('/');
    if (wanted.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const matches = wanted.every((part, index) => {
      if (!part.startsWith(':')) return part === parts[index];
      params[part.slice(1)] = decodeURIComponent(parts[index]!);
      return parts[index] !== '';
    });
    if (matches) return { route, params };
  }
  return undefined;
}

let known: readonly Route[] = [];

/** Whether the console has a page at a path: links to others are not shown. */
export const pageExists = (path: string): boolean => matchRoute(known, path) !== undefined;

/** Follows the history, and takes over clicks on links that lead to one of the routes. Call it once. */
export function startRouter(routes: readonly Route[]): void {
  known = routes;
  window.addEventListener('popstate', () => {
    const before = place.value.path;
    place.value = read();
    if (place.value.path !== before) announceNavigation();
  });
  window.addEventListener('hashchange', () => {
    place.value = read();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    if (link.origin !== window.location.origin || link.getAttribute('href')!.startsWith('#')) return;
    const path = pathOf(link.pathname);
    if (path !== '/' && !pageExists(path)) return;
    event.preventDefault();
    go(`${path}${link.search}${link.hash}`);
  });
}
