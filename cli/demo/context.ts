import type { Context } from 'hydrofiles';

/** Context for readers and writers outside of a conversion. */
export const quietContext = (scratch: string, onEnd: Context['onEnd'] = () => {}): Context => ({
  signal: new AbortController().signal,
  scratch,
  log: () => {},
  progress: () => {},
  reportLoss: () => {},
  remark: () => {},
  reportBadRecord: () => {},
  onEnd,
});
