// Objects of the Kubernetes API, as far as this platform reads or writes them: https://kubernetes.io/docs/reference/.

export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  /** RFC 3339, in whole seconds. */
  creationTimestamp: string;
  /** Present once the object is to be deleted. */
  deletionTimestamp?: string;
  labels?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
  ownerReferences?: readonly { kind: string; controller?: boolean }[];
}

export interface KubernetesObject {
  metadata: ObjectMeta;
}

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

/** `batch/v1`. */
export interface Job extends KubernetesObject {
  spec: { suspend?: boolean };
  status?: { conditions?: readonly Condition[]; active?: number; succeeded?: number; failed?: number };
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: { exitCode: number; reason?: string; message?: string };
}

export interface ResourceAmounts {
  requests?: Readonly<Record<string, string>>;
  limits?: Readonly<Record<string, string>>;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface Pod extends KubernetesObject {
  spec: {
    nodeName?: string;
    containers: readonly { name: string; resources?: ResourceAmounts }[];
    initContainers?: readonly { name: string; resources?: ResourceAmounts; restartPolicy?: string }[];
    overhead?: Readonly<Record<string, string>>;
    tolerations?: readonly Toleration[];
  };
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    conditions?: readonly Condition[];
    containerStatuses?: readonly { name: string; state?: ContainerState }[];
  };
}

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

/** A node of the cluster. `metadata.labels` are those that pods select nodes by. */
export interface ClusterNode extends KubernetesObject {
  spec?: { unschedulable?: boolean; taints?: readonly Taint[] };
  status?: { allocatable?: Readonly<Record<string, string>>; conditions?: readonly Condition[] };
}

/** What a controller or a kubelet tells of an object, for an hour. */
export interface ClusterEvent extends KubernetesObject {
  involvedObject: { kind?: string; name?: string; uid?: string };
  reason?: string;
  message?: string;
  type?: string;
  /** Null in events of the newer form. */
  lastTimestamp?: string | null;
  eventTime?: string | null;
}

export interface List<T> {
  metadata: { resourceVersion: string; continue?: string };
  items: readonly T[];
}

/** The answer of the API server to a request that failed. */
export interface Status {
  kind: 'Status';
  message?: string;
  reason?: string;
  code?: number;
  details?: { retryAfterSeconds?: number };
}

export const findCondition = (
  object: { status?: { conditions?: readonly Condition[] } } | undefined,
  type: string,
): Condition | undefined => object?.status?.conditions?.find((condition) => condition.type === type);
