import type { Command } from 'commander';
import type { Refused } from './errors.ts';

/** Members of requests whose options have other names. */
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

/** A refusal's sentence with the options of the command in place of the members of its request, which nobody typed. */
export function sentenceInOptions({ message, problem }: Refused, command: Command): string {
  let sentence = message.replace(/\s*\n\s*/g, ' ');
  for (const path of Object.keys(problem.errors ?? {})) {
    const member = /^[^.[]+/.exec(path)?.[0] ?? path;
    const option = command.options.find(
      (one) => !one.hidden && (one.attributeName() === member || MEMBERS[one.long ?? ''] === member),
    );
    if (option?.long === undefined || option.long === null) continue;
    // where a sentence begins with it; elsewhere it may be a word of the language
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
