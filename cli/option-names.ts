import type { Command } from 'commander';
import type { Refused } from './errors.ts';

/** Members of requests by option, where the names differ. */
const MEMBERS: Record<string, string> = {
  '--account': 'userId',
  '--cores': 'cpuCoresRequest',
  '--expires': 'expiresAt',
  '--label': 'requiredLabels',
  '--member': 'users',
  '--memory': 'memoryRequestMb',
  '--network': 'allowedNetworks',
  '--owner': 'ownerUserId',
  '--phone': 'phoneNumber',
  '--project': 'projectId',
  '--rate': 'perSecond',
  '--scratch': 'storageSizeGb',
  '--tag': 'tags',
  '--to': 'targetProjectId',
  '--to-tenant': 'targetTenantId',
  '--type': 'types',
};

/** The server's message with the names of options in place of the request's members, which the person did not type. */
export function messageWithOptions({ message, problem }: Refused, command: Command): string {
  let sentence = message.replace(/\s*\n\s*/g, ' ');
  for (const path of Object.keys(problem.errors ?? {})) {
    const member = /^[^.[]+/.exec(path)?.[0] ?? path;
    const option = command.options.find(
      (one) => !one.hidden && (one.attributeName() === member || MEMBERS[one.long ?? ''] === member),
    );
    if (option?.long === undefined || option.long === null) continue;
    // only at the start of a sentence; elsewhere the name may be an English word
    for (const name of [path, member])
      sentence = sentence
        .split(/(; |\()/)
        .map((part) =>
          /^:? /.test(part.slice(name.length)) && part.startsWith(name) ? option.long + part.slice(name.length) : part,
        )
        .join('');
  }
  return sentence;
}
