import type { Writable } from 'node:stream';

export interface Progress {
  /** @param fraction 0 to 1 */
  report(fraction: number, detail?: string): void;
  /** Removes the bar, or replaces it by a line. */
  end(line?: string): void;
}

const WIDTH = 28;
const REDRAW_MS = 80;

export function startProgress(label: string, stream: Writable & { isTTY?: boolean; columns?: number }): Progress {
  return stream.isTTY ? bar(label, stream) : lines(label, stream);
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

/** Writes one line per 10 %, so that log files stay short. */
function lines(label: string, stream: Writable): Progress {
  let tenth = -1;
  return {
    report(fraction, detail = '') {
      const reached = Math.floor(fraction * 10 + 1e-9);
      if (reached <= tenth) return;
      tenth = reached;
      stream.write(`${`${label} ${percent(fraction)} ${detail}`.trimEnd()}\n`);
    },
    end(line) {
      if (line !== undefined) stream.write(`${line}\n`);
    },
  };
}

const percent = (fraction: number) => `${Math.floor(fraction * 100 + 1e-9)} %`.padStart(5);
