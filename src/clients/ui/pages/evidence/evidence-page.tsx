import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/generated/openapi.ts';
import { changeQuery } from '../../api/queries/changes.ts';
import { evidenceQuery } from '../../api/queries/evidence.ts';
import { ApiProblem } from '../../api/request.ts';
import type { Change } from '../../api/types.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { formatBytes } from '../../parts/format-bytes.ts';
import { PageHead } from '../../parts/page.tsx';
import { useKeys } from '../../parts/use-keys.ts';
import { EvidenceList } from './evidence-list.tsx';
import { EvidenceView } from './evidence-view.tsx';
import { toKindName } from './to-kind.ts';
import styles from './evidence.module.css';

type Artifact = Schemas['Artifact'];
const route = getRouteApi('/signed-in/$org/changes/$run/evidence/$id');

/** One file that shows the work of a Change, next to all the others. */
export function EvidencePage() {
  const { org, run, id } = route.useParams();
  const navigate = route.useNavigate();
  const { data: change } = useSuspenseQuery(changeQuery(org, run));
  const {
    data: { items },
  } = useSuspenseQuery(evidenceQuery(org, run));
  const index = items.findIndex((file) => file.id === id);
  const [file, previous, next] = [items[index], items[index - 1], items[index + 1]];
  const open = (other: Artifact | undefined): void => {
    if (other) void navigate({ params: { org, run, id: other.id }, search: {} });
  };
  useKeys({ '[': () => open(previous), ']': () => open(next) });
  if (!file)
    throw new ApiProblem({
      status: 404,
      detail: `The Change ${run} has no evidence ${id}. A step that runs again replaces its files.`,
    });
  return (
    <>
      <Head change={change} file={file} />
      <div className={styles['view']}>
        <EvidenceList change={change} files={items} current={id} />
        <EvidenceView key={file.id} file={file} previous={previous} next={next} />
      </div>
    </>
  );
}

function Head({ change: { org, name: run, status }, file }: { change: Change; file: Artifact }) {
  const waits = status?.steps.some(({ phase }) => phase === 'Waiting') === true;
  return (
    <PageHead
      title={file.name}
      actions={
        <ButtonLink
          to="/$org/changes/$run"
          params={{ org, run }}
          {...(waits ? { hash: 'decision' } : file.step !== undefined && { search: { step: file.step } })}
        >
          {waits ? 'Back to the decision' : 'Back to the Change'}
        </ButtonLink>
      }
    >
      {file.step === undefined ? `${file.zone ?? 'A zone'} as it ran ${file.release ?? ''}` : `Left by ${file.step}`}.{' '}
      {toKindName(file.type)}, {formatBytes(file.sizeBytes)}.
      {file.failure !== undefined && ` This is a placeholder: ${file.failure}`}
    </PageHead>
  );
}
