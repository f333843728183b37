/** What becomes one upload: a file, or the parts of a shapefile. */
export interface Picked {
  /** Of the file that is sent. */
  readonly name: string;
  readonly files: readonly File[];
  /** To read the files again after a reload, where the browser gives them. */
  readonly handles?: readonly FileSystemFileHandle[] | undefined;
}

interface Found {
  readonly file: File;
  readonly handle?: FileSystemFileHandle | undefined;
  /** Path of its folder. */
  readonly folder: string;
}

type WithHandle = DataTransferItem & { getAsFileSystemHandle?: () => Promise<FileSystemHandle | null> };

/** The files that were dropped, also those in folders. Call it while the event is handled: items are gone later. */
export async function droppedFiles(data: DataTransfer): Promise<Found[]> {
  const items = [...data.items].filter(({ kind }) => kind === 'file');
  const found = await Promise.all(
    items.map(async (item: WithHandle) => {
      const [entry, handle, file] = [item.webkitGetAsEntry(), item.getAsFileSystemHandle?.(), item.getAsFile()];
      if (entry?.isDirectory) return filesBelow(entry as FileSystemDirectoryEntry);
      const own = await handle?.catch(() => null);
      if (file === null) return [];
      return [{ file, folder: '', handle: own?.kind === 'file' ? (own as FileSystemFileHandle) : undefined }];
    }),
  );
  return found.flat();
}

/** The files of an input; those of a folder have their path. */
export const chosenFiles = (list: FileList): Found[] =>
  [...list].map((file) => {
    const path = file.webkitRelativePath;
    return { file, folder: path.slice(0, path.lastIndexOf('/') + 1) };
  });

async function filesBelow(folder: FileSystemDirectoryEntry): Promise<Found[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    // at most a hundred at once
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) break;
    entries.push(...some);
  }
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (entry.isDirectory) return filesBelow(entry as FileSystemDirectoryEntry);
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      return [{ file, folder: folder.fullPath }];
    }),
  );
  return found.flat();
}

const PART = /^(.+?)\.(shp|shx|dbf|prj|cpg|qpj|qix|sbn|sbx|fbn|fbx|ain|aih|atx|ixs|mxs|shp\.xml)$/i;

/** One upload a file, but one for the parts of a shapefile. Files of systems (`.DS_Store`) are left out. */
export function groupParts(found: readonly Found[]): Picked[] {
  const shapes = new Map<string, Found[]>();
  const keyOf = ({ file, folder }: Found) => `${folder}\n${PART.exec(file.name)?.[1]?.toLowerCase()}`;
  for (const one of found) if (/\.shp$/i.test(one.file.name)) shapes.set(keyOf(one), []);
  const alone: Picked[] = [];
  for (const one of found) {
    const parts = PART.test(one.file.name) ? shapes.get(keyOf(one)) : undefined;
    if (parts !== undefined) parts.push(one);
    else if (!/^(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/i.test(one.file.name)) alone.push(toPicked([one]));
  }
  return [...[...shapes.values()].map(toPicked), ...alone];
}

function toPicked(found: readonly Found[]): Picked {
  const sorted = found.toSorted((one, other) => (one.file.name < other.file.name ? -1 : 1));
  const handles = sorted.map(({ handle }) => handle);
  const first = sorted.find(({ file }) => /\.shp$/i.test(file.name)) ?? sorted[0]!;
  return {
    name: sorted.length === 1 ? first.file.name : first.file.name.replace(/\.shp$/i, '.zip'),
    files: sorted.map(({ file }) => file),
    ...(handles.every((handle) => handle !== undefined) && { handles }),
  };
}
