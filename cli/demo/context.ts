import type { Context } from '../../src/formats/define.ts';

/** What a reader or writer asks of the conversion around it, where there is none. */
export const quietContext = (scratch: string, onEnd: Context['onEnd'] = () => {}): Context => ({
  signal: new AbortController().signal,
  scratch,
  log: () => {},
  progress: () => {},
  reportLoss: () => {},
  reportBadRecord: () => {},
  onEnd,
});
