import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Debian's Chromium; `CHROMIUM` overrides it. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const hasBrowser = existsSync(CHROMIUM);

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--no-first-run',
  '--disable-gpu-sandbox',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-extensions',
  '--process-per-site',
  '--disable-features=SpareRendererForSitePerProcess',
  '--hide-scrollbars',
  '--force-color-profile=srgb',
  // WebGL without a graphics card; all else is drawn without it, in half of the time
  '--disable-gpu',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--remote-debugging-port=0',
];

type Parameters = Record<string, unknown>;

/** A tab that is steered by the DevTools protocol. */
export interface Tab {
  /** Errors of the console and violations of the content security policy. */
  readonly complaints: string[];
  /** Addresses that the tab asked for. */
  readonly requests: string[];
  go(url: string): Promise<void>;
  /** The value of an expression; promises are awaited. */
  evaluate<T>(expression: string): Promise<T>;
  /** Waits until an expression is true. */
  until(expression: string, what?: string): Promise<void>;
  key(key: string, code?: string, keyCode?: number): Promise<void>;
  mouse(type: 'mouseMoved' | 'mousePressed' | 'mouseReleased', x: number, y: number): Promise<void>;
  click(x: number, y: number): Promise<void>;
  /** Shows it instead of the tab that was opened last: a click in a tab behind takes 6 s. */
  front(): Promise<void>;
  viewport(width: number, height: number, mobile?: boolean): Promise<void>;
  media(features: Record<string, string>): Promise<void>;
  /** Whether the pages that it goes to may do what their content security policy forbids. */
  bypassPolicy(enabled: boolean): Promise<void>;
  /** Takes the network away, and gives it back. */
  offline(value: boolean): Promise<void>;
  /** A PNG. */
  picture(): Promise<Buffer>;
  /** Does nothing the second time. */
  close(): Promise<void>;
}

export interface Browser {
  tab(): Promise<Tab>;
  close(): Promise<void>;
}

/** The browser of this thread, and how many use it. */
let shared: { browser: Promise<StartedBrowser>; users: number } | undefined;

/** Opens a profile with cookies and storage of its own, in one browser for all test files of this thread. */
export async function openProfile(): Promise<Browser> {
  shared ??= { browser: startProcess(), users: 0 };
  const current = shared;
  current.users++;
  const browser = await current.browser;
  const { browserContextId } = await browser.session.send('Target.createBrowserContext');
  return {
    tab: () => newTab(browser.session, { browserContextId }),
    async close() {
      await browser.session.send('Target.disposeBrowserContext', { browserContextId });
      if (--current.users > 0) return;
      shared = undefined;
      await browser.close();
    },
  };
}

/** Starts a browser without a window. Its profile is removed with it. */
export async function startBrowser(): Promise<Browser> {
  const { session, close } = await startProcess();
  return { tab: () => newTab(session), close };
}

async function newTab(session: Session, context: Parameters = {}): Promise<Tab> {
  const { targetId } = await session.send('Target.createTarget', { url: 'about:blank', ...context });
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: true });
  return openTab(session, String(sessionId), async () => void (await session.send('Target.closeTarget', { targetId })));
}

interface StartedBrowser {
  readonly session: Session;
  close(): Promise<void>;
}

async function startProcess(): Promise<StartedBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'browser-'));
  const process = spawn(CHROMIUM, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const socket = await connect(await addressOf(process));
  const session = sessions(socket);
  return {
    session,
    async close() {
      const ended = new Promise((resolve) => process.once('exit', resolve));
      // the socket may close before the answer comes
      session.send('Browser.close').catch(() => {});
      await ended;
      socket.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

async function addressOf(process: ChildProcess): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface(process.stderr!)) {
    lines.push(line);
    const [, address] = /^DevTools listening on (\S+)/.exec(line) ?? [];
    if (address === undefined) continue;
    process.stderr!.resume();
    return address;
  }
  throw new Error(`The browser did not start: ${lines.join('\n')}`);
}

async function connect(address: string): Promise<WebSocket> {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  return socket;
}

interface Session {
  send(method: string, params?: Parameters, sessionId?: string): Promise<Parameters>;
  listen(sessionId: string, listener: (method: string, params: Parameters) => void): void;
}

interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Parameters;
  readonly result?: Parameters;
  readonly error?: { readonly message: string };
}

function sessions(socket: WebSocket): Session {
  const waiting = new Map<number, (message: Message) => void>();
  const listeners = new Map<string, (method: string, params: Parameters) => void>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else if (message.sessionId !== undefined)
      listeners.get(message.sessionId)?.(message.method ?? '', message.params ?? {});
  });
  return {
    send(method, params = {}, sessionId) {
      const id = ++last;
      return new Promise((resolve, reject) => {
        waiting.set(id, ({ result, error }) => {
          waiting.delete(id);
          if (error === undefined) resolve(result ?? {});
          else reject(new Error(`${method}: ${error.message}`));
        });
        socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
      });
    },
    listen: (sessionId, listener) => void listeners.set(sessionId, listener),
  };
}

async function openTab(session: Session, sessionId: string, close: () => Promise<void>): Promise<Tab> {
  const send = (method: string, params?: Parameters) => session.send(method, params, sessionId);
  const complaints: string[] = [];
  const requests: string[] = [];
  let loaded = () => {};
  let closed: Promise<void> | undefined;
  session.listen(sessionId, (method, params) => {
    if (method === 'Page.loadEventFired') loaded();
    if (method === 'Network.requestWillBeSent') requests.push((params.request as { url: string }).url);
    if (method === 'Log.entryAdded') {
      const { text, url } = params.entry as { text: string; url?: string };
      // of the graphics card that this machine does not have
      if (!text.includes('GL Driver Message (OpenGL, Performance,')) complaints.push(`${text} ${url}`);
    }
    if (method === 'Runtime.exceptionThrown') complaints.push(JSON.stringify(params.exceptionDetails));
    if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(String(params.type)))
      complaints.push(
        JSON.stringify(
          (params.args as { value?: unknown; description?: string }[]).map((one) => one.value ?? one.description),
        ),
      );
  });
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`);

  async function evaluate<T>(expression: string): Promise<T> {
    const answer = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (answer.exceptionDetails !== undefined) throw new Error(JSON.stringify(answer.exceptionDetails));
    return (answer.result as { value: T }).value;
  }
  const mouse: Tab['mouse'] = async (type, x, y) => {
    const button = type === 'mouseMoved' ? {} : { button: 'left', clickCount: 1 };
    await send('Input.dispatchMouseEvent', { type, x, y, ...button });
  };
  return {
    complaints,
    requests,
    async go(url) {
      const done = new Promise<void>((resolve) => {
        loaded = resolve;
      });
      await send('Page.navigate', { url });
      await done;
    },
    evaluate,
    async until(expression, what = expression) {
      const end = Date.now() + 60_000;
      while (!(await evaluate<boolean>(`Boolean(${expression})`))) {
        if (Date.now() > end) throw new Error(`Waited for a minute: ${what}. ${complaints.join(' | ')}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    async key(key, code = key, keyCode = 0) {
      const text = key.length === 1 ? { text: key } : key === 'Enter' ? { text: '\r' } : {};
      await send('Input.dispatchKeyEvent', { type: 'keyDown', key, code, windowsVirtualKeyCode: keyCode, ...text });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', key, code, windowsVirtualKeyCode: keyCode });
    },
    mouse,
    async click(x, y) {
      await mouse('mouseMoved', x, y);
      await mouse('mousePressed', x, y);
      await mouse('mouseReleased', x, y);
    },
    front: async () => void (await send('Page.bringToFront')),
    async viewport(width, height, mobile = false) {
      await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile });
    },
    async media(features) {
      const list = Object.entries(features).map(([name, value]) => ({ name, value }));
      await send('Emulation.setEmulatedMedia', { features: list });
    },
    async offline(value) {
      const rates = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
      await send('Network.emulateNetworkConditions', { offline: value, ...rates });
    },
    async bypassPolicy(enabled) {
      await send('Page.setBypassCSP', { enabled });
    },
    async picture() {
      const { data } = await send('Page.captureScreenshot', { format: 'png' });
      return Buffer.from(String(data), 'base64');
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}
