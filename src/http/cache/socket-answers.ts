import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { KnownAnswers, KnownQuestion } from './known-answers.ts';
import { KnownHeads } from './known-heads.ts';

type Known = Pick<KnownAnswers<unknown>, 'answer' | 'answerOn'>;

const HEAD_END = '\r\n\r\n';
/** Bytes of a head that is kept. */
const LONGEST_HEAD = 4096;

/**
 * Lets a server answer from what is known: before its own handler, and on connections that got such an answer before
 * node:http reads the request, if its bytes are known. That saves parsing, request, response and their events, two
 * thirds of the CPU time of such an answer.
 *
 * This depends on node:http reading a connection with one listener for 'data', which emits each request while it is
 * called. Where that is not so, nothing is learned, and all requests are read by node:http.
 */
export function answerKnownFirst(server: Server, known: Known): void {
  const handlers = server.listeners('request');
  const heads = new KnownHeads();
  const connections = new WeakMap<Socket, KnownConnection>();
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connections.get(socket);
    connection?.began(request, response);
    const question = known.answer(request, response);
    if (question === undefined) {
      for (const handle of handlers) Reflect.apply(handle, server, [request, response]);
    } else if (connection !== undefined) {
      connection.answered(question);
    } else {
      const attach = () => {
        if (!connections.has(socket) && isReadByNode(server, socket))
          connections.set(socket, new KnownConnection(socket, known, heads));
      };
      // a connection that is about to be read again after a pause would stay unread
      response.once('close', () => setImmediate(attach));
    }
  });
}

/**
 * Whether node:http reads a connection as expected, and does nothing more than to count down until it is idle for too
 * long.
 */
const isReadByNode = (server: Server, socket: Socket): boolean =>
  // not one with TLS, whose class is derived
  socket.constructor === Socket &&
  !socket.destroyed &&
  !socket.isPaused() &&
  socket.remoteAddress !== undefined &&
  socket.listenerCount('data') === 1 &&
  server.keepAliveTimeout > 0 &&
  !server.maxRequestsPerSocket &&
  // takes the listener away
  server.listenerCount('upgrade') + server.listenerCount('connect') === 0;

/**
 * A connection whose bytes come here first. Bytes that are not the head of a known request go to node:http, which also
 * watches the timeouts. That ends an idle connection after any bytes, in or out, as it counts on the connection itself.
 */
class KnownConnection {
  readonly #socket: Socket;
  readonly #known: Known;
  readonly #heads: KnownHeads;
  readonly #address: string;
  readonly #parse: (chunk: Buffer) => void;
  /** node:http has read all requests to their ends, so that the next byte begins a new one. */
  #isBetween = false;
  /** Requests that node:http has read and not answered yet. */
  #open = 0;
  /** Those that node:http has read from the current bytes; undefined while it does not read. */
  #requests: IncomingMessage[] | undefined;
  #question: KnownQuestion | undefined;

  constructor(socket: Socket, known: Known, heads: KnownHeads) {
    this.#socket = socket;
    this.#known = known;
    this.#heads = heads;
    this.#address = socket.remoteAddress!;
    const [parse] = socket.listeners('data') as [(chunk: Buffer) => void];
    this.#parse = parse;
    socket.removeListener('data', parse);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  /** A request that node:http has read. */
  began(request: IncomingMessage, response: ServerResponse): void {
    this.#open++;
    response.once('close', () => this.#open--);
    this.#question = undefined;
    // the rest of earlier bytes, which it did not read while the client took no answers
    if (this.#requests === undefined) this.#isBetween = false;
    else this.#requests.push(request);
  }

  answered(question: KnownQuestion): void {
    this.#question = question;
  }

  #receive(chunk: Buffer) {
    const isHead = this.#isBetween && chunk.length <= LONGEST_HEAD;
    const head = isHead ? chunk.toString('latin1') : '';
    // answers keep their order, and a client that does not take them makes node:http stop reading
    if (isHead && this.#open === 0 && this.#socket.writable && this.#socket.writableLength === 0) {
      const question = this.#heads.find(this.#address, head);
      if (question !== undefined && this.#known.answerOn(this.#socket, question)) return;
    }
    const requests: IncomingMessage[] = [];
    this.#requests = requests;
    this.#isBetween = false;
    this.#question = undefined;
    this.#parse(chunk);
    this.#requests = undefined;
    const [request, another] = requests;
    // one request without a body, and its head ends with the bytes
    if (request?.complete !== true || another !== undefined || !endsHead(chunk)) return;
    this.#isBetween = true;
    if (isHead && this.#question !== undefined && canRepeat(request, this.#question))
      this.#heads.keep(this.#address, head, this.#question);
  }
}

/** Whether the first empty line is the end. */
const endsHead = (chunk: Buffer) =>
  chunk.length > HEAD_END.length && chunk.indexOf(HEAD_END, 0, 'latin1') === chunk.length - HEAD_END.length;

/** Whether the same bytes may come again and then mean the same. */
function canRepeat({ httpVersion, headers }: IncomingMessage, { asked }: KnownQuestion): boolean {
  const { connection = 'keep-alive' } = headers;
  const staysOpen = httpVersion === '1.1' && connection.toLowerCase() === 'keep-alive';
  return staysOpen && asked.requestId === undefined && asked.traceparent === undefined;
}
