import { getRouteApi, Link } from '@tanstack/react-router';
import { Braces, FileText, Image, Play, type LucideIcon } from 'lucide-react';
import type { Schemas } from '../../api/generated/openapi.ts';
import { formatBytes } from '../../parts/format-bytes.ts';
import styles from './steps.module.css';

const route = getRouteApi('/signed-in/$org/changes/$run');

type Props = { files: Schemas['Artifact'][]; small?: boolean };

/** The files that show a step's work, each with a look at it. */
export function EvidenceChips({ files, small = false }: Props) {
  const { org, run } = route.useParams();
  return (
    <span className={small ? styles['chips'] : styles['evid']}>
      {files.map(({ id, name, type, sizeBytes, url }) => {
        const Icon = findIcon(type);
        return (
          <Link
            key={id}
            className={small ? styles['chip'] : styles['ev']}
            to="/$org/changes/$run/evidence/$id"
            params={{ org, run, id }}
          >
            {small ? (
              <>
                <Icon className="i s" aria-hidden="true" />
                {name}
              </>
            ) : (
              <>
                <span className={styles['pic']}>
                  {/^image\/(png|jpeg|webp|gif)$/.test(type) ? (
                    <img src={url} alt="" loading="lazy" />
                  ) : (
                    <Icon className="i" aria-hidden="true" />
                  )}
                </span>
                <span className={styles['cap']}>
                  <b>{name}</b>
                  <span>{formatBytes(sizeBytes)}</span>
                </span>
              </>
            )}
          </Link>
        );
      })}
    </span>
  );
}

function findIcon(type: string): LucideIcon {
  if (type.startsWith('video/')) return Play;
  if (type.startsWith('image/')) return Image;
  return type.includes('json') ? Braces : FileText;
}
