/** Path of the platform, with a slash at its end; a proxy may serve it below one. Scripts are in `assets/{hash}/`. */
const ROOT = new URL('../../', import.meta.url).pathname;

/** The address of a path of the platform: `to('/projects')` for links, `to('/api/…')` for requests. */
export const to = (path: string): string => `${ROOT}${path.slice(1)}`;

/** The path of an address on this platform, such as `/projects/1`. */
export const pathOf = (pathname: string): string =>
  `/${pathname.startsWith(ROOT) ? pathname.slice(ROOT.length) : ''}`.replace(/(.)\/$/, '$1');

/** The whole address, for people and programs elsewhere. */
export const absolute = (path: string): string => new URL(to(path), window.location.href).href;

/** A name that tabs of this platform share, and other platforms of the same host do not. */
export const shared = (name: string): string => `${name} ${ROOT}`;
