import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/generated/openapi.ts';
import { Empty, PageHead, Section } from '../../parts/page.tsx';
import { Mark } from '../../parts/state.tsx';
import type { State } from '../../parts/phase-state.ts';
import { Elapsed } from '../../parts/time.tsx';
import styles from './removal.module.css';

type Zone = Schemas['ZoneDetails'];
type Removal = NonNullable<Zone['status']['removal']>;

const steps: [step: NonNullable<Removal['step']>, title: string, note: string][] = [
  ['files', 'Its files leave the gitops repo', 'A pull request that the service merges'],
  ['application', 'Everything that was deployed is deleted', 'The Application goes last'],
  ['namespace', 'The namespace is deleted', 'With its volumes and certificates'],
];
const words: Partial<Record<State, string>> = { done: 'Done', working: 'In progress', idle: 'Not started' };

/** The steps of a removal, with what still exists in the one that is in progress. */
export function RemovalProgress({ removal }: { removal: Removal }) {
  const current = steps.findIndex(([step]) => step === removal.step);
  return (
    <Section
      id="removal"
      title="This zone is being removed"
      note={
        <>
          Requested by {removal.by.split('@')[0]}, <Elapsed from={removal.since} /> in this step
        </>
      }
    >
      <ol className={styles['steps']}>
        {steps.map(([step, title, note], index) => {
          const state: State = index < current ? 'done' : index === current ? 'working' : 'idle';
          return (
            <li key={step} aria-current={state === 'working' ? 'step' : undefined}>
              <Mark state={state} />
              <div>
                {title} <span className="sr">: {words[state]}</span>
                <small>{note}</small>
                {state === 'working' && removal.remaining.length > 0 && (
                  <ul className="mono">
                    {removal.remaining.map((resource) => (
                      <li key={resource}>{resource}</li>
                    ))}
                  </ul>
                )}
              </div>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

export const Removed = ({ zone: { org, product, name } }: { zone: Zone }) => (
  <>
    <PageHead title={`${name} was removed`}>Nothing in it runs or is stored.</PageHead>
    <Empty title="What stays">
      <p>The repo, builds and Release history of {product}. Adding the zone again starts it empty.</p>
      <Link to="/$org/products/$product" params={{ org, product }}>
        Go to {product}
      </Link>
    </Empty>
  </>
);
