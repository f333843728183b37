import type { Writable } from 'node:stream';

export interface Progress {
  /** @param fraction 0 to 1 */
  report(fraction: number, detail?: string): void;
  /** Removes the bar, or replaces it by a line. */
  end(line?: string): void;
}

const WIDTH = 28;
const REDRAW_MS = 80;

/** @param clock milliseconds, from any start */
export function startProgress(
  label: string,
  stream: Writable & { isTTY?: boolean; columns?: number },
  clock = () => performance.now(),
): Progress {
  return stream.isTTY ? bar(label, stream) : lines(label, stream, clock);
}

function bar(label: string, stream: Writable & { columns?: number }): Progress {
  let drawnAt = 0;
  const clear = '\r\u001b[K';
  return {
    report(fraction, detail = '') {
      const now = performance.now();
      if (now - drawnAt < REDRAW_MS && fraction < 1) return;
      drawnAt = now;
      const done = Math.round(Math.min(1, Math.max(0, fraction)) * WIDTH);
      const drawn = `${label} ${'█'.repeat(done)}${'░'.repeat(WIDTH - done)} ${percent(fraction)} ${detail}`;
      stream.write(clear + drawn.slice(0, (stream.columns || 80) - 1));
    },
    end(line) {
      stream.write(line === undefined ? clear : `${clear}${line}\n`);
    },
  };
}

/** Shorter work writes nothing, longer work a line every ten seconds, so that log files stay short. */
const FIRST_LINE_MS = 2000;
const NEXT_LINE_MS = 10_000;

function lines(label: string, stream: Writable, clock: () => number): Progress {
  let due = clock() + FIRST_LINE_MS;
  return {
    report(fraction, detail = '') {
      const now = clock();
      if (now < due) return;
      due = now + NEXT_LINE_MS;
      stream.write(`${`${label} ${percent(fraction)} ${detail}`.trimEnd()}\n`);
    },
    end(line) {
      if (line !== undefined) stream.write(`${line}\n`);
    },
  };
}

const percent = (fraction: number) => `${Math.floor(fraction * 100 + 1e-9)} %`.padStart(5);
