import type { Problem } from './api-types.ts';

/** An answer that is not 2xx, or none. Its message is the sentence of the server. */
export class ApiError extends Error {
  /** 0 if there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly traceId: string | undefined;
  /** Sentences by member of the body. */
  readonly errors: Record<string, string[]>;
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
    this.status = status;
    this.code = problem.code ?? '';
    this.traceId = problem.traceId;
    this.errors = problem.errors ?? {};
    this.problem = problem;
  }
}

export async function toApiError(answer: Response): Promise<ApiError> {
  const problem = (await answer.json().catch(() => ({}))) as Partial<Problem>;
  return new ApiError(answer.status, problem);
}

/** Whether a request was given up by the page itself. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
