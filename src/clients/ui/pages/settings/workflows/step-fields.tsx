import { ArrowDown, ArrowUp, X } from 'lucide-react';
import type { Problem } from '../../../api/types.ts';
import { Button } from '../../../parts/button.tsx';
import { changeObject } from '../../../parts/change-object.ts';
import { FieldList } from '../../../parts/field-list.tsx';
import { CheckField, ChoiceField, TextField } from '../../../parts/form-fields.tsx';
import forms from '../../../parts/form.module.css';
import { FoldedItem, ItemList } from '../../../parts/item-list.tsx';
import { useRowFocus } from '../../../parts/use-row-focus.ts';
import { useRowIds } from '../../../parts/use-row-ids.ts';
import { AgentStepFields } from './agent-step-fields.tsx';
import { describeStep, type WorkflowStep } from './workflow-spec.ts';

const kinds = [
  ['agent', 'An agent works'],
  ['human', 'A person approves'],
  ['merge', 'The pull request is merged'],
] as const;

/** A step of another kind keeps what all kinds have. */
function toStep(type: string, step: WorkflowStep, roles: string[]): WorkflowStep {
  const { name, parallel, when } = step;
  const kept = { name, ...(parallel !== undefined && { parallel }), ...(when && { when }) };
  if (type === 'human' || type === 'merge') return { ...kept, type };
  return { ...kept, type: 'agent', role: roles[0] ?? '', mode: 'report' };
}

const moveItem = <T,>(items: readonly T[], at: number, to: number): T[] =>
  items.toSpliced(at, 1).toSpliced(to, 0, ...items.slice(at, at + 1));

/** The steps of a run, in order. */
export function StepFields({
  steps,
  roles,
  errors,
  onChange,
}: {
  steps: WorkflowStep[];
  roles: string[];
  errors: Problem['errors'];
  onChange: (steps: WorkflowStep[]) => void;
}) {
  const { list, focusRow } = useRowFocus();
  const { ids, setIds } = useRowIds(steps.length);
  const move = (at: number, to: number): void => {
    setIds(moveItem(ids, at, to));
    onChange(moveItem(steps, at, to));
  };
  return (
    <FieldList legend="Steps" pointer="/spec/steps" ref={list}>
      <ItemList>
        {steps.map((step, at) => {
          const pointer = `/spec/steps/${at}`;
          const isInvalid = errors.some((error) => `${error.pointer}/`.startsWith(`${pointer}/`));
          return (
            <FoldedItem
              key={ids[at]}
              name={`${at + 1}. ${step.name === '' ? 'Unnamed' : step.name}`}
              description={describeStep(step)}
              isInvalid={isInvalid}
              tools={
                <>
                  <Button
                    small
                    look="plain"
                    aria-label={`Move ${step.name} up`}
                    why={at === 0 ? 'It is the first step.' : undefined}
                    onClick={() => move(at, at - 1)}
                  >
                    <ArrowUp className="i s" aria-hidden="true" />
                  </Button>
                  <Button
                    small
                    look="plain"
                    aria-label={`Move ${step.name} down`}
                    why={at === steps.length - 1 ? 'It is the last step.' : undefined}
                    onClick={() => move(at, at + 1)}
                  >
                    <ArrowDown className="i s" aria-hidden="true" />
                  </Button>
                  <Button
                    small
                    look="plain"
                    aria-label={`Remove ${step.name}`}
                    onClick={() => {
                      focusRow(at);
                      setIds(ids.toSpliced(at, 1));
                      onChange(steps.toSpliced(at, 1));
                    }}
                  >
                    <X className="i s" aria-hidden="true" />
                  </Button>
                </>
              }
            >
              <OneStep
                step={step}
                before={steps.slice(0, at)}
                pointer={pointer}
                roles={roles}
                onChange={(next) => onChange(steps.with(at, next))}
              />
            </FoldedItem>
          );
        })}
      </ItemList>
      <div>
        <Button
          small
          onClick={() => {
            focusRow(steps.length);
            onChange([
              ...steps,
              { name: `step-${steps.length + 1}`, type: 'agent', role: roles[0] ?? '', mode: 'report' },
            ]);
          }}
        >
          Add a step
        </Button>
      </div>
    </FieldList>
  );
}

function OneStep({
  step,
  before,
  pointer,
  roles,
  onChange,
}: {
  step: WorkflowStep;
  before: WorkflowStep[];
  pointer: string;
  roles: string[];
  onChange: (step: WorkflowStep) => void;
}) {
  return (
    <div className="stack">
      <div className={forms['side']}>
        <TextField
          label="Name"
          pointer={`${pointer}/name`}
          value={step.name}
          onChange={(name) => onChange({ ...step, name })}
        />
        <ChoiceField
          label="What happens"
          pointer={`${pointer}/type`}
          value={step.type}
          options={[...kinds]}
          onChange={(type) => onChange(toStep(type, step, roles))}
        />
      </div>
      {step.type === 'agent' && (
        <AgentStepFields step={step} before={before} pointer={pointer} roles={roles} onChange={onChange} />
      )}
      <TextField
        label="In parallel with"
        hint="Adjacent steps with the same name here run at the same time."
        pointer={`${pointer}/parallel`}
        value={step.parallel ?? ''}
        onChange={(text) => onChange(changeObject(step, { parallel: text === '' ? undefined : text }))}
      />
      <CheckField
        label="Only while the pull request has conflicts"
        hint="Otherwise the step is skipped."
        pointer={`${pointer}/when`}
        checked={step.when !== undefined}
        onChange={(isOnly) =>
          onChange(changeObject(step, { when: isOnly ? { pullRequest: { conflicted: true } } : undefined }))
        }
      />
    </div>
  );
}
