import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';

/** Name of the container that runs the transfer. Others of the template are left as they are. */
export const CONTAINER = 'work';

const named = z.array(z.looseObject({ name: z.string() })).default([]);
const amounts = z.record(z.string(), z.union([z.string(), z.number()])).default({});

const Container = z.looseObject({
  name: z.string(),
  image: z.string().optional(),
  command: z.array(z.string()).optional(),
  env: named,
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
  resources: z.looseObject({ requests: amounts, limits: amounts }).default({ requests: {}, limits: {} }),
  securityContext: z.looseObject({}).optional(),
});
export type Container = z.infer<typeof Container>;

const requirements = z.array(z.looseObject({}));
const term = z.looseObject({ matchExpressions: requirements.default([]), matchFields: requirements.optional() });

/** The members of a PodTemplateSpec that the platform merges; all others are kept as they are. */
const Template = z.looseObject({
  metadata: z
    .looseObject({
      labels: z.record(z.string(), z.string()).default({}),
      annotations: z.record(z.string(), z.string()).default({}),
    })
    .default({ labels: {}, annotations: {} }),
  spec: z
    .looseObject({
      containers: z.array(Container).default([]),
      volumes: named,
      tolerations: z.array(z.looseObject({ key: z.string().optional(), effect: z.string().optional() })).default([]),
      securityContext: z.looseObject({}).optional(),
      affinity: z
        .looseObject({
          nodeAffinity: z
            .looseObject({
              requiredDuringSchedulingIgnoredDuringExecution: z
                .looseObject({ nodeSelectorTerms: z.array(term) })
                .optional(),
            })
            .optional(),
        })
        .optional(),
    })
    .default({ containers: [], volumes: [], tolerations: [] }),
});
export type Template = z.infer<typeof Template>;

/** Cores of a pod whose transfer asks for none. */
const DEFAULT_CPU = '1';

/** The container of the template that runs the transfer; `readTemplate` adds one. */
export const mainContainer = ({ spec }: Template): Container =>
  spec.containers.find(({ name }) => name === CONTAINER) as Container;

/**
 * The setting `kubernetes.template`: a PodTemplateSpec in YAML or JSON, or the path of a file with one. Undefined: an
 * empty one.
 * @throws Error with a sentence
 */
export async function readTemplate(setting: string | undefined): Promise<Template> {
  if (setting === undefined) return withMainContainer(Template.parse({}));
  const inline = /^\s*\{|\n/.test(setting);
  const wrong = (why: string) => new Error(`kubernetes.template${inline ? '' : ` (${setting})`} ${why}`);
  const text = inline
    ? setting
    : await readFile(setting, 'utf8').catch((error: Error) => {
        throw wrong(`cannot be read: ${error.message}.`);
      });
  let value: unknown;
  try {
    value = parse(text) ?? {};
  } catch (error) {
    throw wrong(`is neither YAML nor JSON: ${(error as Error).message.split('\n', 1)[0]}`);
  }
  const parsed = Template.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw wrong(`is no PodTemplateSpec: ${issue?.path.join('.')}: ${issue?.message}.`);
  }
  const names = parsed.data.spec.containers.map(({ name }) => name);
  if (names.length > 0 && !names.includes(CONTAINER))
    throw wrong(
      `has the ${names.length === 1 ? 'container' : 'containers'} '${names.join("', '")}' and none of the name '${CONTAINER}', which runs the transfer.`,
    );
  return withMainContainer(parsed.data);
}

function withMainContainer(template: Template): Template {
  const { containers } = template.spec;
  const main = containers.find(({ name }) => name === CONTAINER) ?? Container.parse({ name: CONTAINER });
  const { requests, limits } = main.resources;
  const cpu = requests.cpu ?? limits.cpu ?? DEFAULT_CPU;
  const complete = { ...main, resources: { ...main.resources, requests: { ...requests, cpu } } };
  const others = containers.filter(({ name }) => name !== CONTAINER);
  return { ...template, spec: { ...template.spec, containers: [complete, ...others] } };
}
