import { Suspense } from 'react';
import { Button } from '../../../parts/button.tsx';
import { changeObject } from '../../../parts/change-object.ts';
import { FieldList } from '../../../parts/field-list.tsx';
import { ChoiceField, LinesField, TextField } from '../../../parts/form-fields.tsx';
import forms from '../../../parts/form.module.css';
import { ItemList } from '../../../parts/item-list.tsx';
import { useRowFocus } from '../../../parts/use-row-focus.ts';
import type { Trigger } from './workflow-spec.ts';
import { lazyPart } from '../../../parts/lazy-file.ts';

const ScheduleTimes = lazyPart(async () => (await import('./schedule-times.tsx')).ScheduleTimes);

const kinds = [
  ['issue.opened', 'An issue is opened'],
  ['issue.labeled', 'A label is added to an issue'],
  ['onChange', 'A pull request is opened or changed'],
  ['release.cut', 'A Release is tagged'],
  ['cron', 'A schedule is due'],
] as const;
type Kind = (typeof kinds)[number][0];

const toKind = (trigger: Trigger): Kind => (trigger.type === 'event' ? trigger.event : trigger.type);

/** The trigger of another kind keeps the labels, if it can have them. */
function toTrigger(kind: Kind, before: Trigger): Trigger {
  if (kind === 'cron') return { type: 'cron', schedule: '0 6 * * 1' };
  const labels = 'labels' in before && before.labels && kind !== 'release.cut' ? { labels: before.labels } : {};
  return kind === 'onChange' ? { type: 'onChange', ...labels } : { type: 'event', event: kind, ...labels };
}

/** The events and schedules that start a run. */
export function TriggerFields({
  triggers,
  timeZone,
  onChange,
}: {
  triggers: Trigger[];
  timeZone: string;
  onChange: (triggers: Trigger[]) => void;
}) {
  const { list, focusRow } = useRowFocus();
  return (
    <FieldList legend="Starts on" pointer="/spec/triggers" ref={list}>
      <ItemList>
        {triggers.map((trigger, at) => (
          <li key={at} data-row>
            <OneTrigger
              trigger={trigger}
              pointer={`/spec/triggers/${at}`}
              timeZone={timeZone}
              onChange={(next) => onChange(triggers.with(at, next))}
            />
            <Button
              small
              look="plain"
              aria-label={`Remove trigger ${at + 1}`}
              onClick={() => {
                focusRow(at);
                onChange(triggers.toSpliced(at, 1));
              }}
            >
              Remove
            </Button>
          </li>
        ))}
      </ItemList>
      {triggers.length === 0 && <p className="dim small">Nothing starts it by itself; a person can.</p>}
      <div>
        <Button
          small
          onClick={() => {
            focusRow(triggers.length);
            onChange([...triggers, { type: 'event', event: 'issue.labeled' }]);
          }}
        >
          Add a trigger
        </Button>
      </div>
    </FieldList>
  );
}

function OneTrigger({
  trigger,
  pointer,
  timeZone,
  onChange,
}: {
  trigger: Trigger;
  pointer: string;
  timeZone: string;
  onChange: (trigger: Trigger) => void;
}) {
  return (
    <div className={forms['side']}>
      <ChoiceField
        label="When"
        pointer={[`${pointer}/event`, `${pointer}/type`]}
        value={toKind(trigger)}
        options={[...kinds]}
        onChange={(kind) => onChange(toTrigger(kind as Kind, trigger))}
      />
      {trigger.type === 'cron' ? (
        <div>
          <TextField
            label="Schedule"
            hint="Minute, hour, day of month, month, day of week."
            pointer={`${pointer}/schedule`}
            mono
            value={trigger.schedule}
            onChange={(schedule) => onChange({ ...trigger, schedule })}
          />
          <Suspense>
            <ScheduleTimes crons={[trigger.schedule]} timeZone={timeZone} />
          </Suspense>
        </div>
      ) : (
        (trigger.type === 'onChange' || trigger.event !== 'release.cut') && (
          <LinesField
            label="With one of the labels"
            hint="One in each line; empty for any."
            pointer={`${pointer}/labels`}
            value={trigger.labels}
            onChange={(labels) => onChange(changeObject(trigger, { labels }))}
          />
        )
      )}
      {trigger.type === 'onChange' && (
        <LinesField
          label="Into one of the branches"
          hint="Such as main or release/*; empty for any."
          pointer={`${pointer}/branches`}
          value={trigger.branches}
          onChange={(branches) => onChange(changeObject(trigger, { branches }))}
        />
      )}
    </div>
  );
}
