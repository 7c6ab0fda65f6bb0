import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { slosQuery } from '../../api/queries/slos.ts';
import { ApiProblem } from '../../api/request.ts';
import type { Product } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { changeObject } from '../../parts/change-object.ts';
import { FieldList } from '../../parts/field-list.tsx';
import { ChoiceField, TextField } from '../../parts/form-fields.tsx';
import forms from '../../parts/form.module.css';
import { FoldedItem, ItemList } from '../../parts/item-list.tsx';
import { useRowFocus } from '../../parts/use-row-focus.ts';
import { useRowIds } from '../../parts/use-row-ids.ts';
import { formatWindow } from '../reliability/slos/slo-words.ts';
import { AvailabilityFields, LatencyFields } from './indicator-fields.tsx';
import { describeSloSpec, indicators, newSlo, toIndicator, type SloSpec } from './slo-spec.ts';
import { ZoneChecks } from './zone-checks.tsx';

const slosMax = 20;

/** The objectives of a Product: each says which share of requests has to be good in which zones. */
export function SloFields({
  product: { org, name, spec },
  slos,
  error,
  onChange,
}: {
  product: Product;
  slos: SloSpec[];
  error: Error | null;
  onChange: (slos: SloSpec[]) => void;
}) {
  const { data } = useQuery(slosQuery(org, name));
  const [added, setAdded] = useState<number>();
  const { list, focusRow } = useRowFocus();
  const { ids, setIds } = useRowIds(slos.length);
  const zones = spec.delivery.zones.map((zone) => zone.name);
  const errors = error instanceof ApiProblem ? error.errors : [];
  return (
    <FieldList legend={<span className="sr">Objectives</span>} pointer="/spec/slos" ref={list}>
      {slos.length === 0 && <p className="dim">None yet. Without one, the service does not alert.</p>}
      <ItemList>
        {slos.map((slo, at) => {
          const pointer = `/spec/slos/${at}`;
          return (
            <FoldedItem
              key={ids[at]}
              name={slo.name === '' ? 'New SLO' : slo.name}
              description={describeSloSpec(slo)}
              isInvalid={errors.some((one) => `${one.pointer}/`.startsWith(`${pointer}/`))}
              isNew={at === added}
              tools={
                <Button
                  small
                  look="plain"
                  aria-label={`Remove ${slo.name || 'the new SLO'}`}
                  onClick={() => {
                    setAdded(undefined);
                    focusRow(at);
                    setIds(ids.toSpliced(at, 1));
                    onChange(slos.toSpliced(at, 1));
                  }}
                >
                  <X className="i s" aria-hidden="true" />
                </Button>
              }
            >
              <OneSlo
                slo={slo}
                pointer={pointer}
                zones={zones}
                windowMax={data?.windowMax}
                isNew={at === added}
                onChange={(next) => onChange(slos.with(at, next))}
              />
            </FoldedItem>
          );
        })}
      </ItemList>
      <div>
        <Button
          small
          why={slos.length >= slosMax ? `A Product has at most ${slosMax} SLOs.` : undefined}
          onClick={() => {
            setAdded(slos.length);
            onChange([...slos, newSlo()]);
          }}
        >
          <Plus className="i s" aria-hidden="true" />
          Add an SLO
        </Button>
      </div>
    </FieldList>
  );
}

function OneSlo({
  slo,
  pointer,
  zones,
  windowMax,
  isNew,
  onChange,
}: {
  slo: SloSpec;
  pointer: string;
  zones: string[];
  windowMax: string | undefined;
  isNew: boolean;
  onChange: (slo: SloSpec) => void;
}) {
  const { availability, latency } = slo.indicator;
  const setIndicator = (indicator: SloSpec['indicator']): void => onChange({ ...slo, indicator });
  const most = windowMax === undefined ? '' : `: ${formatWindow(windowMax)}`;
  return (
    <div className="stack">
      <div className={forms['side']}>
        <TextField
          label="Name"
          hint="Lowercase letters, digits and hyphens."
          pointer={`${pointer}/name`}
          value={slo.name}
          autoFocus={isNew}
          spellCheck={false}
          onChange={(name) => onChange({ ...slo, name })}
        />
        <TextField
          label="Description"
          hint="What it promises to users."
          pointer={`${pointer}/description`}
          value={slo.description ?? ''}
          onChange={(text) => onChange(changeObject(slo, { description: text === '' ? undefined : text }))}
        />
      </div>
      <div className={forms['side']}>
        <TextField
          label="Objective, in %"
          hint="Share of requests that has to be good, such as 99.9."
          inputMode="decimal"
          pointer={`${pointer}/objective`}
          value={slo.objective}
          onChange={(objective) => onChange({ ...slo, objective })}
        />
        <TextField
          label="Window"
          hint={`Such as 7d. At most the time for which metrics are kept${most}; that time if empty.`}
          pointer={`${pointer}/window`}
          value={slo.window ?? ''}
          spellCheck={false}
          onChange={(text) => onChange(changeObject(slo, { window: text === '' ? undefined : text }))}
        />
      </div>
      <ChoiceField
        label="Good are"
        value={latency ? 'latency' : 'availability'}
        options={Object.entries(indicators)}
        onChange={(name) => setIndicator(toIndicator(name, slo.indicator))}
      />
      {availability && (
        <AvailabilityFields indicator={availability} pointer={`${pointer}/indicator`} onChange={setIndicator} />
      )}
      {latency && <LatencyFields indicator={latency} pointer={`${pointer}/indicator`} onChange={setIndicator} />}
      <ZoneChecks
        legend="Measured in"
        hint="None chosen: the release zones."
        pointer={`${pointer}/zones`}
        zones={zones}
        chosen={slo.zones}
        onChange={(chosen) => onChange(changeObject(slo, { zones: chosen }))}
      />
    </div>
  );
}
