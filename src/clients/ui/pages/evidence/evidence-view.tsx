import { getRouteApi } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, Download } from 'lucide-react';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/generated/openapi.ts';
import { evidenceQuery } from '../../api/queries/evidence.ts';
import { ButtonLink } from '../../parts/button.tsx';
import button from '../../parts/button.module.css';
import { Segmented } from '../../parts/segmented.tsx';
import { JsonView } from './json-view.tsx';
import { TextView } from './text-view.tsx';
import { toKind } from './to-kind.ts';
import styles from './evidence.module.css';

type Artifact = Schemas['Artifact'];
const route = getRouteApi('/signed-in/$org/changes/$run/evidence/$id');

type Props = { file: Artifact; previous: Artifact | undefined; next: Artifact | undefined };

/** The file itself, with the ways to its neighbours and to a copy. Nothing of it runs: it is an image, a video or text. */
export function EvidenceView({ file, previous, next }: Props) {
  const { zoom, q = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const kind = toKind(file.type);
  const search = (words: string, replace: boolean): void =>
    void navigate({ search: ({ q: _q, ...old }) => (words === '' ? old : { ...old, q: words }), replace });
  return (
    <figure className={styles['stage']}>
      <header>
        <code>{file.artifact}</code>
        <span className={styles['tools']}>
          {kind === 'image' && (
            <Segmented
              label="Zoom"
              value={zoom ?? 'fit'}
              options={[
                ['fit', 'Fit'],
                ['100', '100 %'],
                ['200', '200 %'],
              ]}
              onChange={(value) => void navigate({ search: value === 'fit' ? {} : { zoom: value } })}
            />
          )}
          <Neighbour
            file={previous}
            label="Previous file, ["
            icon={<ChevronLeft className="i s" aria-hidden="true" />}
          />
          <Neighbour file={next} label="Next file, ]" icon={<ChevronRight className="i s" aria-hidden="true" />} />
          <a className={`${button['btn']} ${button['small']}`} href={file.url} download={file.name.split('/').at(-1)}>
            <Download className="i s" aria-hidden="true" />
            Download
          </a>
        </span>
      </header>
      {kind === 'image' && <Picture file={file} zoom={zoom} />}
      {kind === 'video' && <Video file={file} />}
      {kind === 'text' && <TextView url={file.url} name={file.name} words={q} onSearch={search} />}
      {kind === 'json' && <JsonView url={file.url} name={file.name} words={q} onSearch={search} />}
      {kind === 'other' && (
        <p className={styles['note']}>Files of the type {file.type} are not shown here. Download it.</p>
      )}
    </figure>
  );
}

function Neighbour({ file, label, icon }: { file: Artifact | undefined; label: string; icon: React.ReactNode }) {
  const { org, run } = route.useParams();
  if (!file) return null;
  return (
    <ButtonLink
      small
      to="/$org/changes/$run/evidence/$id"
      params={{ org, run, id: file.id }}
      aria-label={label}
      title={`${label} ${file.name}`}
    >
      {icon}
    </ButtonLink>
  );
}

/** An image is never part of the document, so that the scripts of an SVG do not run. */
function Picture({ file: { url, name, type }, zoom }: { file: Artifact; zoom: '100' | '200' | undefined }) {
  const [size, setSize] = useState<{ width: number; height: number }>();
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <p className={styles['note']}>The browser cannot show this {type}. Download it.</p>;
  return (
    <>
      <div className={styles['canvas']} data-zoom={zoom ?? 'fit'} tabIndex={zoom ? 0 : undefined}>
        <img
          src={url}
          alt={name}
          style={zoom && size ? { width: (size.width * Number(zoom)) / 100 } : undefined}
          onLoad={({ currentTarget }) =>
            setSize({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })
          }
          onError={() => setBroken(true)}
        />
      </div>
      <figcaption>{size && `${size.width} × ${size.height}`}</figcaption>
    </>
  );
}

/** The captions of a video are the file of its step with the same name and the ending .vtt. */
function Video({ file: { url, name, step, type } }: { file: Artifact }) {
  const { org, run } = route.useParams();
  const { data } = useQuery(evidenceQuery(org, run));
  const [isBroken, setBroken] = useState(false);
  const stem = name.replace(/\.\w+$/, '');
  const captions = data?.items.find((file) => file.step === step && file.name === `${stem}.vtt`);
  if (isBroken) return <p className={styles['note']}>The browser cannot play this {type}. Download it.</p>;
  return (
    <>
      <div className={styles['canvas']}>
        {/* Its captions are another file of evidence, if the agent has written them. */}
        <video src={url} controls preload="metadata" aria-label={name} onError={() => setBroken(true)}>
          {captions && <track kind="captions" src={captions.url} srcLang="en" label="Captions" default />}
        </video>
      </div>
      {!captions && <figcaption>No captions.</figcaption>}
    </>
  );
}
