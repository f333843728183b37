import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { ExecutionContext, TestFn } from 'ava';
import { PASSWORD, type User, type World } from '../world.ts';
import { type Browser, hasBrowser, openProfile, type Tab } from './browser.ts';

/** A tab of the console, driven as a person does: by the role and the visible name of things. */
export interface ConsolePage {
  readonly tab: Tab;
  /** Goes to an address by the history of the browser, as a link does: `go('/projects')`. */
  go(path: string): Promise<void>;
  /** Waits until something with this role and name is shown. `name` may be a part of it: `/^Delete/`. */
  see(role: string, name: string | RegExp): Promise<void>;
  /** Waits until nothing with this role and name is shown, behind a dialog neither. */
  gone(role: string, name: string | RegExp): Promise<void>;
  /** Waits for a text anywhere on the page. */
  text(words: string): Promise<void>;
  /** Clicks in the middle of it, as a mouse does. */
  click(role: string, name: string | RegExp): Promise<void>;
  /** Replaces what stands in a field. */
  fill(label: string | RegExp, text: string): Promise<void>;
  /** Chooses an option by its value. */
  choose(label: string | RegExp, value: string): Promise<void>;
  key(key: string, code?: number): Promise<void>;
  /** The name of what has the focus. */
  focused(): Promise<string>;
  /** The path, query and fragment of the address. */
  address(): Promise<string>;
}

/** `const console = consoleTests(test, w)`: Chromium for the tests of a file; without it they are skipped. */
export function consoleTests(test: TestFn, w: World) {
  let browser: Promise<Browser> | undefined;
  let base: Promise<string> | undefined;
  /** Of the test that runs. */
  let tabs: Tab[] = [];
  test.after.always('the end of the browser', async () => (await browser)?.close());
  if (!hasBrowser) console.warn('Chromium is not installed: the tests of the console are skipped.');

  async function newTab(width: number): Promise<Tab> {
    browser ??= openProfile();
    base ??= w.listen();
    const tab = await (await browser).tab();
    tabs.push(tab);
    await tab.viewport(width, width < 600 ? 780 : 860, width < 600);
    return tab;
  }
  /** A tab at an address of the console, of somebody who is not signed in. */
  async function open(path = '/', width = 1280): Promise<ConsolePage> {
    const tab = await newTab(width);
    await tab.go(`${await base}${path}`);
    return drive(tab);
  }
  /** A tab of somebody who has signed in, at an address. */
  async function openAs(user: User, path = '/projects', width = 1280): Promise<ConsolePage> {
    const tab = await newTab(width);
    // an answer without scripts, which may not send requests by itself
    await tab.bypassPolicy(true);
    await tab.go(`${await base}/health/live`);
    await tab.evaluate(
      `fetch('/api/tokens/session', { method: 'POST', headers: { 'svc-session': '1', 'content-type': 'application/json' },
        body: JSON.stringify(${JSON.stringify({ id: user.id, password: PASSWORD })}) }).then(({ status }) => status)`,
    );
    await tab.bypassPolicy(false);
    tab.complaints.length = 0;
    await tab.go(`${await base}${path}`);
    await tab.until("document.querySelector('#main h1, .state h2')", 'the page is shown');
    return drive(tab);
  }
  const declare = hasBrowser ? test.serial : test.serial.skip;
  return {
    /**
     * For tests that need Chromium: `console.test('…', async (t) => …)`. One after the other: they share its cookies.
     * Tabs that a test has opened are closed at its end.
     */
    test: (title: string, work: (t: ExecutionContext) => Promise<unknown>) =>
      declare(title, async (t) => {
        try {
          await work(t);
        } finally {
          await Promise.all(tabs.map((tab) => tab.close()));
          tabs = [];
        }
      }),
    open,
    openAs,
  };
}

/** Roles of elements that have no attribute `role`. */
const IMPLICIT = {
  button: 'button, summary',
  link: 'a[href]',
  heading: 'h1, h2, h3',
  textbox:
    'input:not([type]), input[type=text], input[type=email], input[type=password], input[type=url], input[type=date], textarea',
  searchbox: 'input[type=search]',
  checkbox: 'input[type=checkbox]',
  radio: 'input[type=radio]',
  combobox: 'select',
  dialog: 'dialog[open]',
  navigation: 'nav',
  main: 'main',
  region: 'section[aria-label]',
  spinbutton: 'input[type=number]',
  slider: 'input[type=range]',
  img: 'img[alt]:not([alt=""]), canvas',
};

/** Runs in the page: elements of a role with a name (accessible name computation, as far as the console needs it). */
const FIND = `(role, name, flags, behind) => {
  const implicit = ${JSON.stringify(IMPLICIT)};
  const open = [...document.querySelectorAll('dialog[open]')].at(-1);
  const nameOf = (one) => {
    const by = one.getAttribute('aria-labelledby');
    const label = one.getAttribute('aria-label') ?? (by && by.split(' ').map((id) => document.getElementById(id)?.textContent).join(' '));
    const text = label ?? (one.labels?.length ? [...one.labels].map((each) => each.textContent).join(' ') : one.alt ?? one.textContent);
    return text.replace(/\\s+/g, ' ').trim();
  };
  const fits = (text) => flags === undefined ? text === name : new RegExp(name, flags).test(text);
  const selector = ['[role=' + role + ']', implicit[role] && implicit[role].split(', ').map((one) => one + ':not([role])').join(', ')].filter(Boolean).join(', ');
  return [...document.querySelectorAll(selector)].filter((one) => {
    if (open && !behind && !open.contains(one) && !one.closest('.menu, .toasts')) return false;
    const { width, height } = one.getBoundingClientRect();
    return width > 0 && height > 0 && getComputedStyle(one).visibility !== 'hidden' && fits(nameOf(one));
  });
}`;

/**
 * Runs in the page: where the first of the elements is once it stands still. What is drawn between this and the click may
 * move another one there, so a click that would hit anything else has no effect but `missed`.
 */
const AIM = `async (find) => {
  let before, place;
  for (let tries = 0; tries < 80 && (place === undefined || place !== before); tries++) {
    before = place;
    const [one] = find();
    one?.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = one?.getBoundingClientRect() ?? {};
    place = one && [left + width / 2, top + height / 2].join(' ');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  globalThis.missed = false;
  globalThis.aim?.abort();
  globalThis.aim = new AbortController();
  let right;
  for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
    addEventListener(type, (event) => {
      if (type === 'pointerdown')
        right = find().some((one) => [one, ...(one.labels ?? [])].some((each) => each.contains(event.target)));
      if (right) return;
      globalThis.missed = true;
      event.preventDefault();
      event.stopImmediatePropagation();
    }, { capture: true, signal: globalThis.aim.signal });
  return place?.split(' ').map(Number);
}`;

function drive(tab: Tab): ConsolePage {
  const found = (role: string, name: string | RegExp, behind = false) => {
    const [text, flags] = typeof name === 'string' ? [name, undefined] : [name.source, name.flags];
    const [first, second, third] = [role, text, flags].map((one) => JSON.stringify(one));
    return `(${FIND})(${first}, ${second}, ${third}, ${behind})`;
  };
  const see = (role: string, name: string | RegExp) => tab.until(`${found(role, name)}.length > 0`, `${role} ${name}`);
  const field = (label: string | RegExp) => {
    const roles = ['textbox', 'searchbox', 'spinbutton', 'combobox', 'checkbox', 'radio', 'slider'];
    return `[${roles.map((role) => `...${found(role, label)}`).join(', ')}]`;
  };
  async function fill(label: string | RegExp, text: string) {
    // the label of an optional field ends in a word of its own
    const wanted =
      typeof label === 'string' ? new RegExp(`^${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}( optional)?$`) : label;
    await tab.until(`${field(wanted)}.length > 0`, `field ${label}`);
    await tab.evaluate(`(() => {
      const one = ${field(wanted)}[0];
      one.focus();
      one.value = ${JSON.stringify(text)};
      one.dispatchEvent(new Event('input', { bubbles: true }));
      one.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
  }
  return {
    tab,
    async go(path) {
      await tab.evaluate(
        `(() => { const link = document.createElement('a'); link.href = ${JSON.stringify(path)}; document.body.append(link); link.click(); link.remove(); })()`,
      );
    },
    see,
    gone: (role, name) => tab.until(`${found(role, name, true)}.length === 0`, `no ${role} ${name}`),
    text: (words) => tab.until(`document.body.innerText.includes(${JSON.stringify(words)})`, `text ${words}`),
    async click(role, name) {
      for (let tries = 0; tries < 20; tries++) {
        await see(role, name);
        const place = await tab.evaluate<[number, number] | undefined>(`(${AIM})(() => ${found(role, name)})`);
        if (place === undefined) continue;
        await tab.click(...place);
        if (!(await tab.evaluate<boolean>('globalThis.aim?.abort(), globalThis.missed === true'))) return;
      }
      throw new Error(`Something lies over ${role} ${name}.`);
    },
    fill,
    choose: fill,
    key: (key, code) => tab.key(key, key, code),
    focused: () =>
      tab.evaluate(
        "(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.labels?.[0]?.textContent ?? document.activeElement?.textContent ?? '').trim()",
      ),
    address: () => tab.evaluate('location.pathname + location.search + location.hash'),
  };
}

let axe: string | undefined;

/** No finding of axe-core, nothing wider than the window, no error in the console, nothing asked of another host. */
export async function expectAccessible(t: ExecutionContext, { tab }: ConsolePage): Promise<void> {
  axe ??= await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  // half a megabyte, which a page keeps until it loads another
  if (!(await tab.evaluate<boolean>('globalThis.axe !== undefined'))) await tab.evaluate(`${axe}; 0`);
  const found = await tab.evaluate<unknown[]>(
    `axe.run().then(({ violations }) => violations.map(({ id, help, nodes }) =>
      ({ id, help, nodes: nodes.map(({ html, failureSummary }) => html.slice(0, 200) + ' ' + failureSummary) })))`,
  );
  t.deepEqual(found, []);
  const [wide, window, origin] = await tab.evaluate<[number, number, string]>(
    '[document.documentElement.scrollWidth, innerWidth, location.origin]',
  );
  t.true(wide <= window, `${wide} px in a window of ${window}`);
  t.deepEqual(
    tab.requests.filter((url) => !url.startsWith(`${origin}/`) && !/^(?:data|blob|about):/.test(url)),
    [],
  );
}

/**
 * Pictures of a page at 1280 and 360 px, light and dark, into the folder `PICTURES`, to look at; without it, none.
 * `PICTURES=/tmp/pictures ava test/web/projects.test.ts`
 */
export async function picture({ tab }: ConsolePage, name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  const before = await tab.evaluate<[number, number]>('[innerWidth, innerHeight]');
  for (const scheme of ['light', 'dark']) {
    await tab.media({ 'prefers-color-scheme': scheme });
    for (const width of [1280, 360]) {
      await tab.viewport(width, width === 360 ? 780 : 860, width === 360);
      await new Promise((resolve) => setTimeout(resolve, 250));
      await writeFile(`${folder}/${name}-${width}-${scheme}.png`, await tab.picture());
    }
  }
  await tab.media({});
  await tab.viewport(before[0], before[1], before[0] < 600);
}
