/** Why a process stops a run. */
export type StopReason = 'cancelled' | 'projectDeleted' | 'takenOver' | 'shutdown';

export class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly why: StopReason;
  constructor(why: StopReason) {
    super(why);
    this.why = why;
  }
}
