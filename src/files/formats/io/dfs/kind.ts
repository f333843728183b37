import type { ByteSource } from '../../../data/bytes.ts';
import { ConversionError, FormatError } from '../../../errors.ts';
import { DfsFile } from './dfs-file.ts';
import type { DfsHeader } from './header.ts';
import { readHeader } from './read-header.ts';

/** The logical kinds of DFS files. All share one container. */
export type DfsFormat = 'dfs0' | 'dfs1' | 'dfs2' | 'dfs3' | 'dfsu';

const formats: readonly DfsFormat[] = ['dfs0', 'dfs1', 'dfs2', 'dfs3'];
const contents: Readonly<Record<DfsFormat, string>> = {
  dfs0: 'time series',
  dfs1: 'values along a line',
  dfs2: 'a plane grid',
  dfs3: 'a grid in space',
  dfsu: 'a mesh',
};

/** The format of a file by its content, because file names are not reliable. */
function formatOfHeader({ custom, items }: Pick<DfsHeader, 'custom' | 'items'>): DfsFormat {
  if (custom.some(({ name }) => name === 'MIKE_FM')) return 'dfsu';
  return formats[Math.max(...items.map(({ axis }) => axis.counts.length))]!;
}

/**
 * Detects the format of a DFS file: the error if the header cannot be read, undefined if that takes more than `budget`
 * bytes.
 */
export async function detectDfs(source: ByteSource, budget = Infinity): Promise<DfsFormat | FormatError | undefined> {
  let left = budget;
  const bounded: ByteSource = {
    size: source.size,
    read(offset, length) {
      left -= length;
      if (left < 0) throw new FormatError('The header is too large for detecting the format.', offset);
      return source.read(offset, length);
    },
  };
  try {
    return formatOfHeader(await readHeader(bounded));
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return left < 0 ? undefined : error;
  }
}

/**
 * Opens a file of one kind.
 * @throws FormatError for a broken file; ConversionError for one of another kind, whose reader it names
 */
export async function openDfs(source: ByteSource, format: DfsFormat): Promise<DfsFile> {
  const file = await DfsFile.open(source);
  const found = formatOfHeader(file.header);
  if (found !== format)
    throw new ConversionError(
      `The file holds ${contents[found]} (${found}), not ${contents[format]}. Use D${found.slice(1)}Reader.`,
    );
  return file;
}
