import type { Status } from './types.ts';

/** What a request was for, in the words of RBAC. */
export interface Action {
  verb: 'get' | 'list' | 'watch' | 'create' | 'delete' | 'patch';
  /** Plural, such as `jobs`. */
  resource: string;
  /** Absent for resources of the cluster. */
  namespace?: string | undefined;
}

/** The API server refused a request. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  /** HTTP status. */
  readonly status: number;
  /** Reason of Kubernetes, such as `AlreadyExists`. */
  readonly reason: string;
  readonly action: Action;

  constructor(action: Action, status: number, body: Partial<Status>) {
    super(inWords(action, status, body.message));
    this.action = action;
    this.status = status;
    this.reason = body.reason ?? '';
  }
}

/** The API server does not answer, or its certificate is not that of the settings. */
export class ClusterUnreachable extends Error {
  override readonly name = 'ClusterUnreachable';

  constructor(server: string, cause: unknown) {
    super(`The Kubernetes API server at ${server} does not answer: ${describe(cause)}.`, { cause });
  }
}

export const isNotFound = (error: unknown) => error instanceof RequestRefused && error.status === 404;
export const alreadyExists = (error: unknown) =>
  error instanceof RequestRefused && error.status === 409 && error.reason === 'AlreadyExists';

/** RBAC denies an action in these words; quotas and admission webhooks answer 403 as well, in others. */
const isDenied = (status: number, message: string) =>
  status === 401 || (status === 403 && / cannot \w+ resource /.test(message));

/** `may not list nodes`, or `may not create jobs in namespace 'work'`. */
export const mayNot = ({ verb, resource, namespace }: Action): string =>
  `may not ${verb} ${resource}${namespace === undefined ? '' : ` in namespace '${namespace}'`}`;

function inWords(action: Action, status: number, message = ''): string {
  if (status === 401) return 'The Kubernetes API server does not accept the credentials of this process (401).';
  if (isDenied(status, message))
    return `This process ${mayNot(action)}. Give its account the right, see the guide on Kubernetes.`;
  const { verb, resource } = action;
  const said = message === '' ? `HTTP status ${status}` : withoutFullStop(message);
  return `Kubernetes refused to ${verb} ${resource}: ${said}.`;
}

const withoutFullStop = (text: string) => text.trim().replace(/[.\s]$/, '');

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  // an AggregateError of several addresses has no message
  return withoutFullStop(cause.message || code || cause.name);
}
