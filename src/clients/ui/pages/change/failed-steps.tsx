import type { Change } from '../../api/types.ts';
import button from '../../parts/button.module.css';
import { Failure } from '../../parts/failure.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { Retry } from './retry.tsx';

/** Each step that failed, with its cause, its fix, and what a person can do. */
export const FailedSteps = ({ change }: { change: Change }) => {
  const pull = change.status?.pullRequest;
  return (change.status?.steps ?? []).flatMap((step) =>
    step.failure
      ? [
          <Failure
            key={step.name}
            title={step.phase === 'Rejected' ? `${step.name} was rejected` : `${step.name} failed`}
            failure={step.failure}
          >
            <Retry change={change} step={step} label={`Retry ${step.name}`} look="primary" />
            {pull && (
              <OutsideLink className={button['btn']} href={pull.url}>
                Open pull request #{pull.number}
              </OutsideLink>
            )}
            <span className="push dim small hide-n">Everything before this step is kept.</span>
          </Failure>,
        ]
      : [],
  );
};
