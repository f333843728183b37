import { NotLoggedIn, type Problem, Refused } from './errors.ts';

/** Converts an error answer to an error. */
export function toError(status: number, text: string, base: string): Error {
  let problem: Problem;
  try {
    problem = Object(JSON.parse(text)) as Problem;
  } catch {
    problem = {};
  }
  const sentence = OWN_SENTENCES[problem.code ?? ''] ?? (joinSentences(problem) || `${base} answered ${status}.`);
  if (status === 401) return new NotLoggedIn(sentence, { ...problem, status });
  const request = status >= 500 && problem.traceId ? ` (request ${problem.traceId})` : '';
  return new Refused(status, `${sentence}${request}`, { ...problem, status });
}

/** Codes of errors whose detail must not change for older clients. */
const OWN_SENTENCES: Record<string, string> = {
  OtpAlreadyUsed: 'The one-time password was already used; wait for the next code.',
};

const isSentence = (text: string) => text.includes(' ');

/** One line: the detail and the messages about members, without error codes. */
function joinSentences({ detail = '', errors = {} }: Problem): string {
  const members = Object.entries(errors).flatMap(([path, sentences]) =>
    sentences.filter(isSentence).map((one) => (one.startsWith(path) ? one : `${path}: ${one}`)),
  );
  const joined = members.join('; ');
  if (joined === '') return detail || Object.values(errors).flat().join(', ');
  const told = members.map((one, at) => (at < members.length - 1 ? one.replace(/\.$/, '') : one)).join('; ');
  if (joined.includes(detail)) return told;
  const messages = Object.values(errors).flat();
  return messages.every((one) => detail.includes(one)) ? detail : `${detail} (${told})`;
}
