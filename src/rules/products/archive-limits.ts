const MiB = 1024 * 1024;

/** The limits of an uploaded archive. A file that is larger than `fileBytes` is not committed by the service. */
export const archiveLimits = {
  archiveBytes: 25 * MiB,
  files: 2_000,
  fileBytes: 5 * MiB,
  totalBytes: 100 * MiB,
  /** Compressed text seldom shrinks to less than a thirtieth. */
  ratio: 200,
  /** Smaller files may be compressed more. */
  ratioFromBytes: MiB,
  pathBytes: 1_000,
  nameBytes: 255,
} as const;

export const allArchivesPrefix = 'archives/';
export const archivesPrefix = (org: string): string => `${allArchivesPrefix}${org}/`;
export const archiveKey = ({ org, sha256 }: { org: string; sha256: string }): string =>
  `${archivesPrefix(org)}${sha256}`;

/** An archive that no Product was created from is deleted after this time. */
export const archiveTtlMs = 7 * 24 * 60 * 60_000;

/** The archives of one org that wait for the creation of their Product. */
export const archivesPerOrgMax = 50;
