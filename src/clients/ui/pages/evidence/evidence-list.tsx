import { Link } from '@tanstack/react-router';
import { Braces, FileText, Film, Image, Paperclip, type LucideIcon } from 'lucide-react';
import type { Schemas } from '../../api/generated/openapi.ts';
import type { Change } from '../../api/types.ts';
import { formatBytes } from '../../parts/format-bytes.ts';
import { Mark } from '../../parts/state.tsx';
import { toKind, toKindName, type FileKind } from './to-kind.ts';
import styles from './evidence.module.css';
import { formatAmount } from '../../parts/format-amount.ts';

type Artifact = Schemas['Artifact'];
const icons: Record<FileKind, LucideIcon> = {
  image: Image,
  video: Film,
  json: Braces,
  text: FileText,
  other: Paperclip,
};
const filesMax = 12;

/** All evidence of a Change by its step, and the files that were too large or too many to keep. */
export function EvidenceList({ change, files, current }: { change: Change; files: Artifact[]; current: string }) {
  const { org, name: run, status } = change;
  const groups = Map.groupBy(files, ({ step, release }) => step ?? `Screenshots of ${release ?? 'the Release'}`);
  const skipped = (status?.steps ?? []).flatMap(({ name, skippedEvidence = [] }) =>
    skippedEvidence.map((file) => ({ step: name, ...file })),
  );
  return (
    <nav className={styles['files']} aria-label="Evidence of this Change">
      {[...groups].map(([group, all]) => (
        <section key={group} aria-label={group}>
          <p className={styles['group']}>
            {all[0]?.step === undefined
              ? group
              : `${group}, ${formatAmount(all.length, 'file')} of at most ${filesMax}`}
          </p>
          <ul>
            {all.map(({ id, name, zone, type, sizeBytes }) => {
              const Icon = icons[toKind(type)];
              return (
                <li key={id}>
                  <Link
                    to="/$org/changes/$run/evidence/$id"
                    params={{ org, run, id }}
                    activeProps={{}}
                    aria-current={id === current || undefined}
                  >
                    <Icon className="i" aria-hidden="true" />
                    <span>
                      <b title={name}>{zone ?? name}</b>
                      <span className="small faint">
                        {toKindName(type)}, {formatBytes(sizeBytes)}
                      </span>
                    </span>
                  </Link>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
      {skipped.length > 0 && (
        <section aria-label="Not kept">
          <p className={styles['group']}>Not kept</p>
          <ul>
            {skipped.map(({ step, name, reason }) => (
              <li key={`${step} ${name}`} className={styles['lost']}>
                <Mark state="warn" />
                <span>
                  <b title={name}>{name}</b>
                  <span className="small dim">
                    {step}: {reason}
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </nav>
  );
}
