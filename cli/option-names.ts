import type { Command, Option } from 'commander';
import type { Refused } from './errors.ts';

/** Members of requests by option, where the names differ. */
const MEMBERS: Record<string, string | readonly string[]> = {
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
  '--type': ['types', 'dataType'],
};

/** The server's message with the names of options in place of the request's members, which the person did not type. */
export function messageWithOptions({ message, problem }: Refused, command: Command): string {
  let sentence = message.replace(/\s*\n\s*/g, ' ');
  for (const path of Object.keys(problem.errors ?? {})) {
    const member = /^[^.[]+/.exec(path)?.[0] ?? path;
    const inner = /\.([^.[\]]+)$/.exec(path)?.[1];
    // a member of an object has an option or an argument of its own; one of a list has that of the list
    const own = inner === undefined ? undefined : findWord(command, inner);
    const word = own ?? (inner === undefined || path.includes('[') ? findWord(command, member) : undefined);
    if (word === undefined) continue;
    // only at the start of a sentence; elsewhere the name may be an English word
    for (const name of own === undefined ? [path, member] : [path])
      sentence = sentence
        .split(/(; |\()/)
        .map((part) =>
          /^:? /.test(part.slice(name.length)) && part.startsWith(name) ? word + part.slice(name.length) : part,
        )
        .join('');
  }
  return sentence;
}

/** The option of a member, else the argument. */
function findWord(command: Command, member: string): string | undefined {
  const isMeant = (one: Option) =>
    one.attributeName() === member || [MEMBERS[one.long ?? ''] ?? []].flat().includes(member);
  const option = command.options.find((one) => !one.hidden && isMeant(one))?.long;
  if (option) return option;
  return command.registeredArguments.some((argument) => argument.name() === member) ? `<${member}>` : undefined;
}
