import type { Schemas } from '../../api/generated/openapi.ts';
import page from '../../parts/page.module.css';
import { OutsideLink } from '../../parts/outside-link.tsx';
import type { State } from '../../parts/phase-state.ts';
import { Mark } from '../../parts/state.tsx';
import { Time } from '../../parts/time.tsx';

const marks: Record<'Applying' | 'Applied' | 'Failed', [state: State, words: string]> = {
  Applying: ['working', 'The settings are being applied.'],
  Applied: ['done', 'The settings are applied.'],
  Failed: ['failed', 'The settings are not applied.'],
};

type AppliedProps = { zone: Schemas['ZoneDetails']; isRequested: boolean; generation: number };

/** Tells whether the saved settings are requested, being applied, or applied. */
export function AppliedNotice({ zone: { status }, isRequested, generation }: AppliedProps) {
  const { settings } = status;
  const isOlder = settings === undefined || settings.generation < generation;
  if (isRequested && isOlder)
    return (
      <Notice state="working">
        <b>Requested.</b> Generation {generation} is saved, and the gitops repo follows.
      </Notice>
    );
  if (!settings) return null;
  const [state, words] = marks[settings.phase];
  return (
    <Notice state={state}>
      <b>{words}</b> {settings.message} Generation {settings.generation}, <Time at={settings.at} />
      {settings.pullRequest && (
        <>
          , <OutsideLink href={settings.pullRequest.url}>gitops #{settings.pullRequest.number}</OutsideLink>
        </>
      )}
      .
    </Notice>
  );
}

const Notice = ({ state, children }: { state: State; children: React.ReactNode }) => (
  <div className={page['notice']} data-state={state} role="status">
    <Mark state={state} />
    <p>{children}</p>
  </div>
);
