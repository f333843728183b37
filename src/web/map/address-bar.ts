import { formatPermalink, parsePermalink, type View } from './permalink.ts';

/** Keeps the fragment of the page's address up to date, and reports changes by the reader. */
export class AddressBar {
  #view: View;
  #timer = 0;

  constructor(onChange: (view: View) => void) {
    this.#view = parsePermalink(location.hash);
    addEventListener('hashchange', () => {
      if (location.hash === formatPermalink(this.#view)) return;
      this.#view = parsePermalink(location.hash);
      onChange(this.#view);
    });
  }

  get view(): View {
    return this.#view;
  }

  /** Writes a part of the view into the address, as often as browsers allow. */
  keep(part: { [Name in keyof View]: View[Name] | undefined }): void {
    this.#view = { ...this.#view, ...part } as View;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => history.replaceState(null, '', formatPermalink(this.#view)), 300);
  }

  /** The address that shows the same, at once. */
  get link(): string {
    const url = new URL(location.href);
    url.hash = formatPermalink(this.#view);
    return url.href;
  }
}
