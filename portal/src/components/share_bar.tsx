export interface Share {
  name: string;
  value: number;
  text: string;
}

// A bar of several parts. Pattern and colour tell the parts apart; the legend names each part and its value.
export function ShareBar({label, shares, legend = true}: {label: string; shares: readonly Share[]; legend?: boolean}) {
  const total = shares.reduce((sum, share) => sum + share.value, 0);
  const visible = shares.filter(share => share.value > 0);
  const summary = visible.map(share => `${share.name} ${share.text}`).join(", ");
  return (
    <figure class="share-bar">
      <div class="share-parts" role="img" aria-label={`${label}: ${summary || "nothing yet"}`}>
        {visible.map(share => (
          <span
            key={share.name}
            class={`part part-${share.name}`}
            title={`${share.name} ${share.text}`}
            style={{flexGrow: String(share.value / total)}}
          />
        ))}
      </div>
      {legend && (
        <figcaption>
          {visible.map(share => (
            <span key={share.name} class="legend">
              <span class={`swatch part-${share.name}`} aria-hidden="true" /> {share.name} {share.text}
            </span>
          ))}
        </figcaption>
      )}
    </figure>
  );
}
