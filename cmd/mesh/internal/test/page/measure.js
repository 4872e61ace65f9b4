(() => {
	// Every fold is open for the measurements: what is in it has to fit and to be read, too.
	for (const d of document.querySelectorAll('details')) d.open = true
	const problems = []
	const say = (text, e) => { if (problems.length < 20) problems.push(text + ': ' + (e.textContent || e.outerHTML).trim().slice(0, 60)) }
	const color = text => {
		const n = text.match(/[\d.]+/g)?.map(Number)
		return n && { rgb: n.slice(0, 3), alpha: n.length > 3 ? n[3] : 1 }
	}
	const light = rgb => rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0)
	const contrast = (a, b) => { const [x, y] = [light(a), light(b)]; return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05) }
	const background = e => {
		for (; e; e = e.parentElement) {
			const c = color(getComputedStyle(e).backgroundColor)
			if (c && c.alpha === 1) return c.rgb
		}
		return [255, 255, 255]
	}
	const shown = e => e.checkVisibility() && e.getClientRects().length > 0 && !e.closest('.vh')

	let texts = 0, shapes = 0
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement
		if (!walk.currentNode.data.trim() || !shown(e) || e.closest('title')) continue
		texts++
		const style = getComputedStyle(e), of = color(e.closest('svg') ? style.fill : style.color)
		const got = contrast(of.rgb, background(e))
		if (got < 4.5) say('text with a contrast of ' + got.toFixed(2), e)
		if (parseFloat(style.fontSize) * (e.closest('svg')?.getScreenCTM().a ?? 1) < 11) say('text that is smaller than 11 pixels', e)
	}
	for (const e of document.querySelectorAll('svg rect, svg path, i')) {
		if (!shown(e) || e.matches('.tr, .gl') || e.closest('.hv, .pale')) continue
		const style = getComputedStyle(e)
		const of = color(e.matches('i') ? style.backgroundColor : style.fill === 'none' || e.matches('.pv') ? style.stroke : style.fill)
		if (!of) continue
		shapes++
		const got = contrast(of.rgb, background(e.closest('svg')?.parentElement ?? e.parentElement))
		if (got < 3) say('a shape with a contrast of ' + got.toFixed(2), e)
	}
	const width = document.documentElement.clientWidth
	if (document.documentElement.scrollWidth > width) say('the page is ' + document.documentElement.scrollWidth + ' pixels wide in a window of ' + width, document.body)
	for (const e of document.querySelectorAll('main *')) {
		const box = e.getBoundingClientRect()
		if (shown(e) && !e.closest('svg') && box.right > width + 1) say('an element ends at ' + Math.round(box.right), e)
	}
	for (const d of document.querySelectorAll('details')) d.open = false
	return JSON.stringify({ problems, texts, shapes, height: document.documentElement.scrollHeight })
})()
