import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { PendingPage } from '../../parts/page.tsx';
import { Mark } from '../../parts/state.tsx';
import { expectFocus } from '../../shell/focus.ts';
import { Brand } from '../../shell/brand.tsx';
import { LiveNote } from '../../shell/live-dot.tsx';
import { NewVersion } from '../../shell/new-version.tsx';
import styles from './setup.module.css';
import { listSetupSteps, pickStep, type SetupStep } from './setup-steps.ts';
import { requiredSteps, type StepName } from './step-names.ts';
import { StepContent } from './step-content.tsx';
import { takeSetupToken } from './take-setup-token.ts';
import { useSetupFacts } from './use-setup-facts.ts';

const route = getRouteApi('/setup');

/** The first start of an installation, step by step; each step is kept, and checked against the real thing. */
export function SetupPage() {
  const { step: asked } = route.useSearch();
  const [token] = useState(takeSetupToken);
  const { isReady, ...facts } = useSetupFacts();
  const steps = listSetupSteps(facts);
  const step = pickStep(steps, asked);
  return (
    <div className={styles['wizard']}>
      <header>
        <div className="row">
          <Brand />
          <b>Set up {location.host}</b>
        </div>
        <span className="small dim">Each step is kept. You can close this page and go on later.</span>
      </header>
      {isReady ? (
        <>
          <StepList steps={steps} shown={step.name} />
          <main id="main" tabIndex={-1}>
            <LiveNote hasSideBar={false} />
            {facts.me && <NewVersion />}
            <StepContent key={step.name} name={step.name} facts={facts} token={token} />
            {facts.me && <StepFoot steps={steps} step={step} org={facts.org} />}
          </main>
        </>
      ) : (
        <main id="main" tabIndex={-1}>
          <PendingPage />
        </main>
      )}
    </div>
  );
}

const StepList = ({ steps, shown }: { steps: SetupStep[]; shown: StepName }) => (
  <nav aria-label="Setup steps">
    <ol className={styles['steps']}>
      {steps.map(({ name, title, note, isDone }) => (
        <li key={name} data-state={isDone ? 'done' : 'idle'}>
          <Link
            to="/setup"
            search={{ step: name }}
            activeProps={{}}
            aria-current={name === shown ? 'step' : undefined}
            onClick={expectFocus}
          >
            <Mark state={isDone ? 'done' : 'idle'} />
            <div>
              <b>{title}</b>
              {isDone && <span className="sr"> done</span>}
              <p className="small">{note}</p>
            </div>
          </Link>
        </li>
      ))}
    </ol>
  </nav>
);

/** The way back and on. Only the root user and the org cannot be done later. */
function StepFoot({ steps, step, org }: { steps: SetupStep[]; step: SetupStep; org: string | undefined }) {
  const navigate = useNavigate();
  const index = steps.indexOf(step);
  const [previous, next] = [steps[index - 1], steps[index + 1]];
  const show = (to: SetupStep): void => {
    expectFocus();
    void navigate({ to: '/setup', search: { step: to.name } });
  };
  const why = step.isDone || !requiredSteps.includes(step.name) ? undefined : 'This step comes first.';
  return (
    <footer className={styles['foot']}>
      {previous && <Button onClick={() => show(previous)}>Back</Button>}
      <span className={styles['why']}>{why ?? (step.isDone ? '' : 'Can be done later')}</span>
      {next ? (
        <Button look={step.isDone ? 'primary' : undefined} why={why} onClick={() => show(next)}>
          {step.isDone ? 'Continue' : 'Skip'}
        </Button>
      ) : (
        org !== undefined && <Button onClick={() => void navigate({ to: '/$org', params: { org } })}>Open {org}</Button>
      )}
    </footer>
  );
}
