import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** As long as a request id and a time, which are written over them. */
const NO_ID = '0'.repeat(36);
const NO_DATE = 'Thu, 01 Jan 1970 00:00:00 GMT';

let second = Number.NaN;
let date = NO_DATE;

/** The time for the header `Date`. It is formatted once a second. */
function dateAt(now: number): string {
  const current = Math.floor(now / 1000);
  if (current !== second) date = new Date(now).toUTCString();
  second = current;
  return date;
}

/** All bytes of an answer on a connection that stays open, the same as node:http sends. */
export class AnswerBytes {
  #bytes: Buffer;
  readonly #bodyAt: number;
  readonly #idAt: number;
  readonly #dateAt: number;
  #date = NO_DATE;

  /**
   * @param headers names and values in turns, without the request id and what node:http adds
   * @param keepAlive milliseconds that node:http keeps an idle connection open
   */
  constructor(status: number, headers: readonly string[], body: Uint8Array | undefined, keepAlive: number) {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (let n = 0; n < headers.length; n += 2) head += `${headers[n]}: ${headers[n + 1]}\r\n`;
    head += 'x-request-id: ';
    this.#idAt = head.length;
    head += `${NO_ID}\r\nDate: `;
    this.#dateAt = head.length;
    head += `${NO_DATE}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1000)}\r\n\r\n`;
    this.#bodyAt = head.length;
    // a copy of the body, because its bytes may be a part of a larger buffer, or be returned to a pool
    this.#bytes = Buffer.concat([Buffer.from(head, 'latin1'), ...(body === undefined ? [] : [body])]);
  }

  get body(): Buffer {
    return this.#bytes.subarray(this.#bodyAt);
  }

  /**
   * Writes the answer. Returns whether the system has taken all of it.
   *
   * @param id a UUID
   */
  write(socket: Socket, id: string, now: number): boolean {
    const current = dateAt(now);
    if (current !== this.#date) this.#bytes.write(current, this.#dateAt, 'latin1');
    this.#date = current;
    this.#bytes.write(id, this.#idAt, 'latin1');
    socket.write(this.#bytes);
    if (socket.writableLength === 0) return true;
    // what waits for the client keeps its id and time
    this.#bytes = Buffer.from(this.#bytes);
    return false;
  }
}
