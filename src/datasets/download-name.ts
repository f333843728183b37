import { writers } from 'hydrofiles';

interface NamedFile {
  name: string;
  datasetFormat: string;
  /** Absent: that of the format. */
  fileExtension?: string | undefined;
}

/**
 * File name for a download: the dataset's name without slashes, plus the extension of its format unless it ends in it.
 */
export function downloadName({ name: datasetName, datasetFormat, fileExtension }: NamedFile): string {
  const name = datasetName.replace(/[/\\]/g, '_');
  const extension = fileExtension ?? writers.find((writer) => writer.format === datasetFormat)?.extension ?? '';
  return name.toLowerCase().endsWith(extension.toLowerCase()) ? name : `${name}${extension}`;
}
