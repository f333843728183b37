import { stripTypeScriptTypes } from 'node:module';
import { posix } from 'node:path';

/**
 * Rooms of `src` from left to right: a file imports, types too, from its own room, the foundation, and rooms to its left, never back.
 * Routes are leaves: they stand with their noun and may import from any room.
 */
const PURE = ['data', 'blobs', 'geo', 'formats', 'convert'];
const DOMAINS = [
  'accounts',
  'groups',
  'tenants',
  'tokens',
  'keys',
  'projects',
  'uploads',
  'datasets',
  'credits',
  'licensing',
  'crs',
  'transfers',
  'timeseries',
  'tiles',
  'recycle-bin',
  'events',
  'operations',
];
/** Files of `src` itself that know every room. */
const TOP = ['src/app.ts', 'src/server.ts'];
/** All other files of `src` itself; what else every process needs stands in `platform/`. `http` stands right of both. */
const FOUNDATION = ['audit', 'config', 'db', 'errors', 'jobs', 'outbox'].map((name) => `src/${name}.ts`);
/** Commands that start processes, the demo, the first administrator, the taking over of a blob store, and what looks into local files: the rest speaks HTTP. */
const STARTS_PROCESSES =
  /^cli\/(commands\/(serve|work|migrate|start|doctor|admin|inspect|blobs-adopt)\.ts|demo\/|local-file\.ts$)/;
const MAY_SPEAK_SQL =
  /(queries\.ts$|^src\/(db|jobs|outbox|audit|server)\.ts$|^src\/platform\/(sql\/statements|postgres\/migrate)\.ts$|^workers\/main\.ts$)/;
const JUNK_DRAWER = /(^|[/-])(index|utils?|helpers?|common|shared|misc)\.ts$/;
const SPEAKS_HTTP = /(routes\.ts$|^src\/http\/|^src\/app\.ts$)/;

interface Import {
  /** Path of a file of ours from the top of the repository, or the name of a package. */
  target: string;
  names: string;
  /** Only for types, gone when the program runs. */
  types: boolean;
}

/**
 * Every breach of the house's rules, one sentence each. An import of types counts in the order of rooms and in circles.
 * @param files path from the top of the repository → source text
 */
export function violations(files: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  const graph = new Map<string, string[]>();
  for (const [file, source] of files) {
    if (JUNK_DRAWER.test(file)) found.push(`${file}: a name that says nothing about its idea.`);
    if (/import\s*\{[^}]*\btype\s/.test(source))
      found.push(`${file}: inline 'type' in an import stays a value import.`);
    const code = stripTypeScriptTypes(source);
    if (/\bprocess\.env\b/.test(code) && file !== 'src/config.ts' && file !== 'cli/main.ts') {
      found.push(`${file}: the environment is read in src/config.ts and cli/main.ts alone.`);
    }
    if (/^src\/[^/]+$/.test(file) && ![...TOP, ...FOUNDATION].includes(file))
      found.push(`${file}: src itself holds the foundation alone.`);
    const imports = importsOf(file, source);
    graph.set(
      file,
      imports.map((one) => one.target),
    );
    for (const one of imports) {
      const sentence = breach(file, one);
      if (sentence) found.push(`${file} imports ${one.target}: ${sentence}`);
    }
  }
  return [...found, ...cycles(graph)];
}

function importsOf(file: string, source: string): Import[] {
  const imports: Import[] = [];
  for (const [, type, names = '', specifier = ''] of source.matchAll(
    /^\s*(?:import|export)\s+(?:(type\s+)?([\w*{}\s,$]+?)\s+from\s+)?['"]([^'"]+)['"]/gm,
  )) {
    imports.push({ target: resolve(file, specifier), names, types: type !== undefined });
  }
  for (const [, specifier = ''] of source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)) {
    imports.push({ target: resolve(file, specifier), names: '*', types: false });
  }
  return imports;
}

const resolve = (file: string, specifier: string) =>
  specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier;

/** Why `file` must not have this import, or nothing. */
function breach(file: string, { target, names, types }: Import): string | undefined {
  const from = place(file);
  const to = place(target);
  if (types) return from.tree === 'src' && to.tree === 'src' ? orderBreach(file, target) : undefined;
  const speaksSql = target === 'slonik' || (target === 'src/db.ts' && /\bsql\b/.test(names));
  if (speaksSql && !MAY_SPEAK_SQL.test(file)) return 'SQL lives in queries files.';
  if (from.tree === 'src' && /^(@?fastify)/.test(target) && !SPEAKS_HTTP.test(file))
    return 'HTTP stops at routes and http/.';
  if (target.endsWith('routes.ts') && file !== 'src/app.ts') return 'only app.ts knows routes.';
  if (from.tree === 'src') {
    if (['cli', 'workers', 'test', 'bin', 'bench'].includes(to.tree)) return 'src stands on its own.';
    return to.tree === 'src' ? orderBreach(file, target) : undefined;
  }
  if (from.tree === 'cli' && ['src', 'workers'].includes(to.tree) && !STARTS_PROCESSES.test(file)) {
    return 'the command line speaks HTTP.';
  }
  if (file.startsWith('workers/tasks/') && to.tree === 'src' && to.room === '')
    return 'a task finds a domain function.';
  if (['cli', 'workers', 'src'].includes(from.tree) && ['test', 'bench'].includes(to.tree))
    return 'tests are not part of the product.';
  return undefined;
}

function orderBreach(file: string, target: string): string | undefined {
  if (TOP.includes(file)) return undefined;
  if (TOP.includes(target)) return 'app and server know the rooms, no room knows them.';
  return roomBreach(file, place(file).room, target, place(target).room);
}

function roomBreach(file: string, room: string, target: string, targetRoom: string): string | undefined {
  if (room === targetRoom) {
    const format = /^src\/formats\/([^/]+)\//.exec(file)?.[1];
    const other = /^src\/formats\/([^/]+)\//.exec(target)?.[1];
    return format && other && other !== 'io' && format !== other ? 'one format never imports another.' : undefined;
  }
  if (PURE.includes(room)) {
    if (target === 'src/errors.ts' || PURE.slice(0, PURE.indexOf(room)).includes(targetRoom)) return undefined;
    return `${room} is pure.`;
  }
  if (PURE.includes(targetRoom)) return undefined;
  const foundation = (name: string) => name === '' || name === 'platform';
  if (foundation(room)) return foundation(targetRoom) ? undefined : 'the foundation knows no room.';
  if (foundation(targetRoom)) return undefined;
  if (room === 'http') return 'http knows no room.';
  if (targetRoom === 'http') return undefined;
  if (!DOMAINS.includes(room)) return `the room ${room} has no place in the order.`;
  if (!DOMAINS.includes(targetRoom)) return `the room ${targetRoom} has no place in the order.`;
  if (file.endsWith('routes.ts')) return undefined;
  return DOMAINS.indexOf(targetRoom) < DOMAINS.indexOf(room) ? undefined : `${targetRoom} stands right of ${room}.`;
}

/** `src/projects/move.ts` → tree `src`, room `projects`; files of `src` itself have the room ''. */
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
