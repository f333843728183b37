import { environmentName } from '../../../src/config.ts';
import type { Started } from '../worker.ts';
import { startProcess } from '../worker.ts';
import { type TestCluster, template } from './cluster.ts';

const COMPILED = process.env.NODE_COMPILE_CACHE ?? '';

interface Place {
  url: string;
  runtimeUrl: string;
  folder: string;
}

/** Environment of pods that perform transfers of this world. */
export const podSettings = ({ runtimeUrl }: Place, settings: Record<string, string> = {}) => ({
  DATABASE_URL: runtimeUrl,
  PLATFORM_LOG_LEVEL: 'warn',
  // the root file system of a pod is read-only, so without it each pod would compile the platform anew
  NODE_COMPILE_CACHE: COMPILED,
  ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [environmentName(name), value])),
});

/**
 * A dispatcher for a cluster. `pods` are settings of the pods, `more` members of their specification, and `program`
 * what they run in place of the platform.
 */
export async function startDispatcher(
  world: Place,
  cluster: TestCluster,
  settings: Record<string, string> = {},
  { pods = {}, more = {}, program }: { pods?: Record<string, string>; more?: object; program?: string[] } = {},
): Promise<Started> {
  const usual = {
    'kubernetes.kubeconfig': cluster.kubeconfig,
    'kubernetes.image': 'platform',
    'kubernetes.template': template([world.folder, COMPILED], podSettings(world, pods), more, program),
    'worker.concurrency': '1',
  };
  const { started } = await startProcess(['work', '--executor', 'kubernetes'], world, { ...usual, ...settings });
  return started;
}
