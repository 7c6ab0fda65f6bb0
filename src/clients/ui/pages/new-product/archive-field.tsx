import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import type { Schemas } from '../../api/generated/openapi.ts';
import { ApiProblem, request } from '../../api/request.ts';
import field from '../../parts/field.module.css';
import { formatBytes } from '../../parts/format-bytes.ts';
import { formatAmount } from '../../parts/format-amount.ts';

type Archive = Schemas['Archive'];

/** Uploads a chosen archive at once, so that a refusal is known before the rest is filled in. */
export function ArchiveField({
  org,
  archive,
  error,
  why,
  onUploaded,
}: {
  org: string;
  archive: Archive | undefined;
  error: string | undefined;
  /** Why the person may not upload one. */
  why: string | undefined;
  onUploaded: (archive: Archive | undefined) => void;
}) {
  const id = useId();
  const upload = useMutation({
    // Browsers name the type of ZIP archives differently.
    mutationFn: async (file: File) =>
      await request('post', '/v1/orgs/{org}/archives', {
        params: { org },
        file: file.slice(0, file.size, 'application/zip'),
      }),
  });
  const problem = upload.error ? toReason(upload.error) : error;
  return (
    <div className={field['field']}>
      <label htmlFor={id}>ZIP archive</label>
      <input
        id={id}
        type="file"
        accept=".zip,application/zip"
        className={field['input']}
        disabled={why !== undefined}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => {
          onUploaded(undefined);
          // An earlier file that arrives later is not the chosen one.
          upload.reset();
          const [file] = target.files ?? [];
          if (file) upload.mutate(file, { onSuccess: onUploaded });
        }}
      />
      <span id={`${id}-hint`} className={problem === undefined ? field['hint'] : field['err']} role="status">
        {why ?? problem ?? toHint(archive, upload.isPending)}
      </span>
    </div>
  );
}

function toHint(archive: Archive | undefined, isPending: boolean): string {
  if (isPending) return 'Uploading and checking the files…';
  if (archive)
    return `${formatAmount(archive.files, 'file')}, ${formatBytes(archive.bytes)}. They become the first commit.`;
  return 'At most 25 MiB. Links, encrypted entries and paths outside the archive are rejected.';
}

const toReason = (error: Error): string =>
  error instanceof ApiProblem
    ? [
        error.message,
        ...error.errors.map(({ detail }) => detail).filter((detail) => !error.message.includes(detail)),
      ].join(' ')
    : error.message;
