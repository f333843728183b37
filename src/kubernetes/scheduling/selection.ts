import type { Taint, Toleration } from '../types.ts';

// Which nodes a pod may run on, whatever is free there:
// https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/ and …/taint-and-toleration/

export interface NodeRequirement {
  key: string;
  operator: string;
  values?: readonly string[] | undefined;
}

/** A node matches if it meets all requirements. One without requirements matches no node. */
export interface NodeSelectorTerm {
  matchExpressions?: readonly NodeRequirement[] | undefined;
  /** Of the node's name alone. */
  matchFields?: readonly NodeRequirement[] | undefined;
}

/** The rules of a pod template for nodes. */
export interface NodeRules {
  nodeSelector?: Readonly<Record<string, string>> | undefined;
  /** A node must match one of them. */
  terms?: readonly NodeSelectorTerm[] | undefined;
  tolerations?: readonly Toleration[] | undefined;
}

interface Selectable {
  name: string;
  labels: Readonly<Record<string, string>>;
}

export function isSelected(node: Selectable, { nodeSelector = {}, terms }: NodeRules): boolean {
  for (const [key, value] of Object.entries(nodeSelector)) if (node.labels[key] !== value) return false;
  return terms === undefined || terms.some((term) => matchesTerm(node, term));
}

function matchesTerm(node: Selectable, { matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields = { 'metadata.name': node.name };
  return (
    matchExpressions.every((requirement) => meets(node.labels, requirement)) &&
    matchFields.every((requirement) => meets(fields, requirement))
  );
}

function meets(labels: Readonly<Record<string, string>>, { key, operator, values = [] }: NodeRequirement): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isInteger(value) && isInteger(values[0]) && Number(value) > Number(values[0]);
    case 'Lt':
      return isInteger(value) && isInteger(values[0]) && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

const isInteger = (text: string | undefined): boolean => text !== undefined && /^[+-]?\d{1,18}$/.test(text);

/** A label of a request: `key=value`, or a key with any value. */
export interface WantedLabel {
  key: string;
  value: string | undefined;
}

export function parseLabel(label: string): WantedLabel {
  const [key = '', value] = label.split('=');
  return { key, value };
}

export const hasLabel = ({ labels }: Pick<Selectable, 'labels'>, { key, value }: WantedLabel): boolean =>
  Object.hasOwn(labels, key) && (value === undefined || labels[key] === value);

/** The taints that keep a pod with these tolerations off a node. */
export const untolerated = (taints: readonly Taint[], tolerations: readonly Toleration[] = []): Taint[] =>
  taints.filter(({ effect }) => effect !== 'PreferNoSchedule').filter((taint) => !isTolerated(taint, tolerations));

const isTolerated = (taint: Taint, tolerations: readonly Toleration[]): boolean =>
  tolerations.some(({ key = '', operator, value = '', effect = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    if (operator === 'Exists') return key === '' || key === taint.key;
    return (operator ?? 'Equal') === 'Equal' && key === taint.key && value === (taint.value ?? '');
  });
