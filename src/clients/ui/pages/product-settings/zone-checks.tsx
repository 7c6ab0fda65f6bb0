import { FieldList } from '../../parts/field-list.tsx';
import { CheckField } from '../../parts/form-fields.tsx';

/** Chooses some of the zones of a Product. None chosen is undefined, which leaves the choice to the service. */
export function ZoneChecks({
  legend,
  hint,
  pointer,
  zones,
  chosen,
  onChange,
}: {
  legend: string;
  hint: string;
  pointer: string;
  zones: string[];
  chosen: readonly string[] | undefined;
  onChange: (chosen: string[] | undefined) => void;
}) {
  // A zone that is gone stays in the list until it is taken out, because the API names it as the error.
  const shown = [...new Set([...zones, ...(chosen ?? [])])];
  const toggle = (zone: string, isChosen: boolean): void => {
    const next = shown.filter((one) => (one === zone ? isChosen : chosen?.includes(one)));
    onChange(next.length === 0 ? undefined : next);
  };
  return (
    <FieldList legend={legend} pointer={pointer}>
      <p className="small dim">{hint}</p>
      <div>
        {shown.map((zone) => (
          <CheckField
            key={zone}
            label={zone}
            checked={chosen?.includes(zone) ?? false}
            onChange={(isChosen) => toggle(zone, isChosen)}
          />
        ))}
      </div>
    </FieldList>
  );
}
