import { z } from 'zod';
import { integer, jsonList } from './setting-kinds.ts';

/** An autoscaled class of nodes of a cluster, of which there may be none now. */
const nodeClass = z
  .strictObject({
    name: z.string().min(1).optional(),
    labels: z.record(z.string(), z.string()).default({}),
    taints: z
      .array(
        z.strictObject({
          key: z.string().min(1),
          value: z.string().optional(),
          effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
        }),
      )
      .default([]),
    // what pods of an empty node may take, as `allocatable` of a node of the class says it
    cores: z.number().positive(),
    memoryMb: z.int().positive(),
    storageGb: z.number().positive().optional(),
  })
  .transform(({ name, ...rest }) => ({ ...rest, name: name ?? `${rest.cores} cores, ${rest.memoryMb} MB` }));

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names */
const dnsLabel = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be the name of a namespace');

/** How a dispatcher hands transfers to a cluster. */
export const KUBERNETES_SETTINGS = {
  // path; default: the service account of the pod
  'kubernetes.kubeconfig': z.string().min(1).optional(),
  'kubernetes.namespace': dnsLabel.optional(),
  'kubernetes.image': z.string().min(1).optional(),
  'kubernetes.storageClass': z.string().min(1).optional(),
  // a PodTemplateSpec in YAML or JSON, or the path of a file with one
  'kubernetes.template': z.string().min(1).optional(),
  'kubernetes.takes': z.enum(['all', 'rest']).default('all'),
  'kubernetes.nodeClasses': jsonList(nodeClass).default([]),
  // memory of a pod beyond that of its transfer
  'kubernetes.overheadMb': integer(128, 512).default(512),
  // Jobs of equal needs that have no node yet: more would stand before transfers that start later
  'kubernetes.maxPending': integer(1, 100_000).default(200),
} as const;
