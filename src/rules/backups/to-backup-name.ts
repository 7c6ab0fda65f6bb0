/** Builds the name of a backup from its start and a random hexadecimal text. */
export const toBackupName = (startedAt: Date, random: string): string =>
  `backup-${startedAt.toISOString().replaceAll(/\D/g, '').slice(0, 14)}-${random.slice(0, 8)}`;
