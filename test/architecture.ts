import { stripTypeScriptTypes } from 'node:module';
import { posix } from 'node:path';

/** Folders of `src` that are packages. */
const PACKAGES = ['files', 'web'];
/** Order of the rooms (folders) of the library: a file imports from its own room and from rooms earlier in the list. */
const LIBRARY = ['threads', 'data', 'geo', 'formats', 'tiles', 'convert', 'preview', 'crs', 'command'];
/** Lists the readers and writers of all rooms of the library. */
const REGISTRY = 'src/files/formats/registry.ts';
/**
 * Order of the rooms (folders of `src`): a file may import, types included, from its own room, the foundation, and
 * rooms earlier in the list. Route files are leaves and may import from any room; only the plugin of their room
 * registers them, and only app.ts registers plugins.
 */
export const DOMAINS = [
  'accounts',
  'groups',
  'tenants',
  'tokens',
  'keys',
  'projects',
  'uploads',
  'datasets',
  'search',
  'credits',
  'licensing',
  'crs',
  'series',
  'kubernetes',
  'transfers',
  'shares',
  'arrays',
  'features',
  'tiles',
  'preview',
  'recycle-bin',
  'events',
  'operations',
  'console',
];
/** Files directly in `src` that may import from every room. */
const TOP = ['src/app.ts', 'src/server.ts'];
/** All other files directly in `src`. With `platform/` they are the foundation; `http` comes after it. */
const FOUNDATION = ['audit', 'config', 'db', 'errors', 'jobs', 'outbox'].map((name) => `src/${name}.ts`);
/**
 * CLI files that may import from `src` and `workers`: commands that start processes or work on local files or stores,
 * draw pictures, and the demo; the address of the platform, which is read from its settings.
 */
const STARTS_PROCESSES =
  /^cli\/(commands\/(serve|work|migrate|start|doctor|status|integrity|admin|backup-run|blobs-adopt|secret-rotate|webhook-listen)\.ts|demo\/|server-address\.ts$)/;
const MAY_USE_SQL = /(queries\.ts$|^src\/(db|jobs|outbox|audit|server)\.ts$|^src\/platform\/sql\/|^workers\/main\.ts$)/;
/** Files that open connections of their own; what they send stands in queries files. */
const MAY_USE_PG = /(queries\.ts$|^src\/platform\/(sql|postgres)\/|^workers\/liveness\.ts$)/;
const READS_ENVIRONMENT = ['src/config.ts', 'cli/main.ts', 'cli/clean-environment.ts'];
const JUNK_DRAWER = /(^|[/-])(index|utils?|helpers?|common|shared|misc)\.tsx?$/;
/** The formatter leaves comments alone. A word that is wider, such as a URL, may stand alone in its line. */
const WIDE_COMMENT = /^(?=.{121}) *(\/\/|\*|\/\*\*) .*\S .*$/m;
const MAY_USE_HTTP = /(routes\.ts$|^src\/http\/|^src\/[^/]+\/plugin\.ts$|^src\/app\.ts$)/;

interface Import {
  specifier: string;
  /** Path of a file from the root of the repository, or the name of a package. */
  target: string;
  names: string;
  /** `import type`, which is removed at run time. */
  types: boolean;
  /** `import(…)`, which loads when it is called. */
  later: boolean;
}

/**
 * Violations of the import rules, one sentence each. Type imports count for the order of rooms and for cycles.
 * @param files path from the root of the repository → source text
 */
export function violations(files: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  const graph = new Map<string, string[]>();
  for (const [file, source] of files) {
    if (JUNK_DRAWER.test(file)) found.push(`${file}: the name does not describe the content.`);
    if (/import\s*\{(\s*type\s+\w+\s*,?)+\}/.test(source))
      found.push(`${file}: an import of inline types alone keeps the import at run time. Use 'import type'.`);
    if (WIDE_COMMENT.test(source)) found.push(`${file}: a comment is wider than 120 columns.`);
    // pages for browsers have no environment
    const code = file.endsWith('.tsx') ? '' : stripTypeScriptTypes(source);
    if (/\bprocess\.env\b/.test(code) && !READS_ENVIRONMENT.includes(file)) {
      found.push(`${file}: only ${READS_ENVIRONMENT.join(', ')} may read process.env.`);
    }
    if (/^src\/[^/]+$/.test(file) && ![...TOP, ...FOUNDATION].includes(file))
      found.push(`${file}: only the foundation may be directly in src.`);
    const imports = importsOf(file, source);
    graph.set(
      file,
      imports.map((one) => one.target),
    );
    for (const one of imports) {
      const sentence = violation(file, one);
      if (sentence) found.push(`${file} imports ${one.target}: ${sentence}`);
    }
  }
  return [...found, ...cycles(graph)];
}

/** The files that load with this one: those that it imports at once, and those that they import. */
export function loadedWith(start: string, files: ReadonlyMap<string, string>): Set<string> {
  const loaded = new Set([start]);
  for (const file of loaded)
    for (const { target, types, later } of importsOf(file, files.get(file) ?? ''))
      if (!types && !later && files.has(target)) loaded.add(target);
  return loaded;
}

export function importsOf(file: string, source: string): Import[] {
  const imports: Import[] = [];
  for (const [, type, names = '', specifier = ''] of source.matchAll(
    /^\s*(?:import|export)\s+(?:(type\s+)?([\w*{}\s,$]+?)\s+from\s+)?['"]([^'"]+)['"]/gm,
  )) {
    imports.push({ specifier, target: resolve(file, specifier), names, types: type !== undefined, later: false });
  }
  for (const [, specifier = ''] of source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)) {
    imports.push({ specifier, target: resolve(file, specifier), names: '*', types: false, later: true });
  }
  return imports;
}

function resolve(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  const entry = /^hydrofiles(\/.+)?$/.exec(specifier);
  return entry === null ? specifier : `src/files${entry[1] ?? '/main'}.ts`;
}

/** Why `file` must not have this import; undefined if it may. */
function violation(file: string, { specifier, target, names, types }: Import): string | undefined {
  const from = place(file);
  const to = place(target);
  const [own, other] = [from.room, to.room].map((room) => PACKAGES.find((one) => one === room));
  if (own !== other && specifier.startsWith('.'))
    return `src/${own ?? other} is a package: it is imported by its name, and imports nothing of the platform.`;
  if (own === 'files') return libraryViolation(file, target, specifier);
  if (own !== undefined || other !== undefined) return undefined;
  if (types) return from.tree === 'src' && to.tree === 'src' ? orderViolation(file, target) : undefined;
  const usesSql = target === 'slonik' || (target === 'src/db.ts' && /\bsql\b/.test(names));
  if (usesSql && !MAY_USE_SQL.test(file)) return 'SQL belongs in queries files.';
  if (['src', 'workers'].includes(from.tree) && target === 'pg' && !MAY_USE_PG.test(file))
    return 'connections are opened in src/platform.';
  if (from.tree === 'src' && /^(@?fastify)/.test(target) && !MAY_USE_HTTP.test(file))
    return 'only routes and http/ may use Fastify.';
  if (target.endsWith('routes.ts') && file !== `src/${to.room}/plugin.ts`)
    return 'only the plugin of its room may import routes.';
  if (target.endsWith('/plugin.ts') && file !== 'src/app.ts') return 'only app.ts may import plugins.';
  if (from.tree === 'src') {
    if (['cli', 'workers', 'test', 'bin', 'bench'].includes(to.tree)) return 'src may only import from src.';
    return to.tree === 'src' ? orderViolation(file, target) : undefined;
  }
  if (from.tree === 'cli' && ['src', 'workers'].includes(to.tree) && !STARTS_PROCESSES.test(file)) {
    return 'the CLI must use the HTTP API.';
  }
  if (file.startsWith('workers/tasks/') && to.tree === 'src' && to.room === '')
    return 'a task must call a function of a room.';
  if (['cli', 'workers', 'src'].includes(from.tree) && ['test', 'bench'].includes(to.tree))
    return 'tests are not part of the product.';
  return undefined;
}

function orderViolation(file: string, target: string): string | undefined {
  if (TOP.includes(file)) return undefined;
  if (TOP.includes(target)) return 'no file may import app or server.';
  return roomViolation(file, place(file).room, target, place(target).room);
}

function roomViolation(file: string, room: string, target: string, targetRoom: string): string | undefined {
  if (room === targetRoom || targetRoom === 'blobs') return undefined;
  if (room === 'blobs') return target === 'src/errors.ts' ? undefined : 'blobs may only import errors.ts.';
  const foundation = (name: string) => name === '' || name === 'platform';
  if (foundation(room)) return foundation(targetRoom) ? undefined : 'the foundation must not import from rooms.';
  if (foundation(targetRoom)) return undefined;
  if (room === 'http') return 'http must not import from rooms.';
  if (targetRoom === 'http') return undefined;
  if (!DOMAINS.includes(room)) return `the room ${room} is missing in the order of rooms.`;
  if (!DOMAINS.includes(targetRoom)) return `the room ${targetRoom} is missing in the order of rooms.`;
  if (file.endsWith('routes.ts')) return undefined;
  return DOMAINS.indexOf(targetRoom) < DOMAINS.indexOf(room) ? undefined : `${targetRoom} comes after ${room}.`;
}

/** Entries of the library, which stand beside its rooms, may import from all of them. */
function libraryViolation(file: string, target: string, specifier: string): string | undefined {
  if (specifier.startsWith('hydrofiles')) return 'the library does not import its own entries.';
  if (!specifier.startsWith('.')) return undefined;
  const [room, format] = file.split('/').slice(2) as [string, string];
  const [targetRoom, other] = target.split('/').slice(2) as [string, string];
  if (!LIBRARY.includes(room) || targetRoom === 'errors.ts') return undefined;
  if (room === targetRoom) {
    const isFormat = (path: string) => room === 'formats' && path.split('/').length > 4;
    return isFormat(file) && isFormat(target) && ![format, 'io'].includes(other)
      ? 'a format must not import another format.'
      : undefined;
  }
  if (file === REGISTRY && targetRoom === 'tiles') return undefined;
  const before = LIBRARY.slice(0, LIBRARY.indexOf(room));
  return before.includes(targetRoom) ? undefined : `${room} may only import ${['errors.ts', ...before].join(', ')}.`;
}

/** `src/projects/move.ts` → tree `src`, room `projects`; files directly in `src` have the room ''. */
function place(path: string): { tree: string; room: string } {
  const [tree = '', second = '', third] = path.split('/');
  return { tree, room: tree === 'src' && third !== undefined ? second : '' };
}

function cycles(graph: ReadonlyMap<string, string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string) => {
    const at = path.indexOf(file);
    if (at >= 0) found.push(`A cycle: ${[...path.slice(at), file].join(' → ')}`);
    if (at >= 0 || done.has(file)) return;
    path.push(file);
    for (const target of graph.get(file) ?? []) if (graph.has(target)) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return found;
}
