import pg from 'pg';

const { connect } = pg.Client.prototype as { connect: (...args: never[]) => unknown };
const heard = new WeakSet<object>();

/**
 * Keeps the process alive when a connection breaks, whoever has made it. `pg` emits an `error` event besides rejecting
 * the statement, and slonik opens connections without a listener: one that broke then ended the process.
 */
export function surviveBrokenConnections(): void {
  pg.Client.prototype.connect = function (this: pg.Client, ...args: never[]) {
    if (!heard.has(this)) {
      heard.add(this);
      this.on('error', () => {});
    }
    return connect.apply(this, args);
  } as typeof pg.Client.prototype.connect;
}
