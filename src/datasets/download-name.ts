import { writers } from '../formats/registry.ts';

/** File name for a download: the dataset's name without slashes, plus the extension of its format unless it ends in it. */
export function downloadName(datasetName: string, datasetFormat: string): string {
  const name = datasetName.replace(/[/\\]/g, '_');
  const extension = writers.find((writer) => writer.format === datasetFormat)?.extension ?? '';
  return name.toLowerCase().endsWith(extension.toLowerCase()) ? name : `${name}${extension}`;
}
