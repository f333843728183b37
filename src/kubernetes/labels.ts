/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set */
const NAME = /^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
/** No part of a domain name is empty, or begins or ends with a hyphen. */
const BAD_PART = /\.[.-]|-\./;

/** One of `matchExpressions` of a node selector. */
export interface NodeRequirement {
  key: string;
  operator: 'In' | 'Exists';
  values?: readonly string[];
}

/**
 * Why Kubernetes refuses this label of a request, `key=value` or a key alone: the API server would not create the Job.
 * Undefined: it takes it.
 */
export function labelProblem(label: string): string | undefined {
  const [key = '', value] = label.split('=');
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (!NAME.test(name))
    return `Kubernetes takes no label '${label}': the name '${name}' must have 1 to 63 letters, digits, '-', '_' and '.', and begin and end with a letter or digit.`;
  if (prefix !== undefined && (!PREFIX.test(prefix) || BAD_PART.test(prefix)))
    return `Kubernetes takes no label '${label}': '${prefix}' before the slash must be a domain name in lower case.`;
  if (value !== undefined && value !== '' && !NAME.test(value))
    return `Kubernetes takes no label '${label}': the value '${value}' must have at most 63 letters, digits, '-', '_' and '.', and begin and end with a letter or digit.`;
  return undefined;
}

/** The requirement of a node selector for a label of a request: a key alone asks for any value. */
export function toNodeRequirement(label: string): NodeRequirement {
  const [key = '', value] = label.split('=');
  return value === undefined ? { key, operator: 'Exists' } : { key, operator: 'In', values: [value] };
}
