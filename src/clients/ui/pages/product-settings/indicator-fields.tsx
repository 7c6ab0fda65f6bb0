import { changeObject } from '../../parts/change-object.ts';
import { TextField } from '../../parts/form-fields.tsx';
import forms from '../../parts/form.module.css';
import type { Availability, Latency, SloSpec } from './slo-spec.ts';

type Props<Indicator> = { indicator: Indicator; pointer: string; onChange: (indicator: SloSpec['indicator']) => void };

const toText = (text: string): string | undefined => (text === '' ? undefined : text);
const typed = { spellCheck: false, mono: true };

export const AvailabilityFields = ({ indicator, pointer, onChange }: Props<Availability>) => {
  const change = (changes: { [K in keyof Availability]?: string | undefined }): void =>
    onChange({ availability: changeObject(indicator, changes) });
  return (
    <>
      <TextField
        label="Metric"
        hint="A counter of requests, such as http_requests_total."
        pointer={`${pointer}/availability/metric`}
        value={indicator.metric}
        onChange={(metric) => change({ metric })}
        {...typed}
      />
      <div className={forms['side']}>
        <TextField
          label="Requests that count"
          hint={'Label matchers, such as path!="/healthz"; all if empty.'}
          pointer={`${pointer}/availability/filter`}
          value={indicator.filter ?? ''}
          onChange={(text) => change({ filter: toText(text) })}
          {...typed}
        />
        <TextField
          label="Errors among them"
          hint={'Label matchers; code=~"5.." if empty.'}
          pointer={`${pointer}/availability/errors`}
          value={indicator.errors ?? ''}
          onChange={(text) => change({ errors: toText(text) })}
          {...typed}
        />
      </div>
    </>
  );
};

export const LatencyFields = ({ indicator, pointer, onChange }: Props<Latency>) => {
  const change = (changes: { [K in keyof Latency]?: string | undefined }): void =>
    onChange({ latency: changeObject(indicator, changes) });
  return (
    <>
      <TextField
        label="Histogram"
        hint="A histogram of seconds, without _bucket, such as http_request_duration_seconds."
        pointer={`${pointer}/latency/histogram`}
        value={indicator.histogram}
        onChange={(histogram) => change({ histogram })}
        {...typed}
      />
      <div className={forms['side']}>
        <TextField
          label="Seconds"
          hint="Within which a request is good; one of the buckets (le) of the histogram."
          inputMode="decimal"
          pointer={`${pointer}/latency/threshold`}
          value={indicator.threshold}
          onChange={(threshold) => change({ threshold })}
        />
        <TextField
          label="Requests that count"
          hint={'Label matchers, such as path!="/healthz"; all if empty.'}
          pointer={`${pointer}/latency/filter`}
          value={indicator.filter ?? ''}
          onChange={(text) => change({ filter: toText(text) })}
          {...typed}
        />
      </div>
    </>
  );
};
