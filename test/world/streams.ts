import { setTimeout as sleep } from 'node:timers/promises';

export interface Heard {
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  event: any;
}

/** Client of server-sent events that collects all events. */
export interface EventStream {
  readonly status: number;
  readonly type: string | null;
  readonly heard: Heard[];
  readonly comments: number;
  /** `Last-Event-ID` for a reconnect. */
  readonly lastId: string;
  /** Resolves when the stream ends; true if the server ended it properly. */
  readonly ended: Promise<boolean>;
  /** Resolves when `count` events have arrived. */
  until(count: number): Promise<Heard[]>;
  close(): void;
}

export async function openStream(url: string, headers: Record<string, string>): Promise<EventStream> {
  const closing = new AbortController();
  const answer = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: closing.signal });
  const heard: Heard[] = [];
  let comments = 0;
  let lastId = '';
  const read = (block: string) => {
    let data: string | undefined;
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (name === '') comments++;
      if (name === 'id') lastId = value;
      if (name === 'data') data = value;
    }
    if (data !== undefined) heard.push({ id: lastId, event: JSON.parse(data) });
  };
  async function run() {
    let text = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream() as never)) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      blocks.forEach(read);
    }
  }
  let over = false;
  const ended = run()
    .then(
      () => true,
      () => false,
    )
    .finally(() => {
      over = true;
    });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    heard,
    get comments() {
      return comments;
    },
    get lastId() {
      return lastId;
    },
    ended,
    async until(count) {
      while (heard.length < count) {
        if (over) throw new Error(`The stream ended after ${heard.length} events.`);
        await sleep(20);
      }
      return heard;
    },
    close: () => closing.abort(),
  };
}
