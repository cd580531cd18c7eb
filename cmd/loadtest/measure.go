package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// measure runs one load against one bot.
func measure(ctx context.Context, o options) (_ *report, err error) {
	dir, err := os.MkdirTemp("", "leadhand-loadtest-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err == nil { // otherwise the bot's log tells why
			_ = os.RemoveAll(dir)
		}
	}()
	m, err := newModel(o.modelWait)
	if err != nil {
		return nil, err
	}
	defer m.close()
	on, err := messengers()[o.messenger]()
	if err != nil {
		return nil, err
	}
	defer on.close()
	if o.sendLatency > 0 {
		on.slow(o.sendLatency)
	}
	places, err := on.open(o.chats)
	if err != nil {
		return nil, err
	}
	p := newPeople(on, m, places)
	watch, stopWatching := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { on.watch(watch, p.note) })
	defer watching.Wait()
	defer stopWatching()

	b := newBot(o, dir, on.env(), m.URL)
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	defer b.end(syscall.SIGKILL)
	if err := await(ctx, on.ready); err != nil {
		return nil, fmt.Errorf("the bot does not connect: %w", err)
	}
	r := &report{Options: o}
	if err := p.load(ctx, o, b, r); err != nil {
		return nil, err
	}
	r.Stop = b.end(syscall.SIGTERM)
	r.PeakMemory = b.peak
	p.sum(r)
	return r, nil
}

// load lets all conversations go on at once, each message when the one before is answered, and kills the bot meanwhile.
func (p *people) load(ctx context.Context, o options, b *bot, r *report) (err error) {
	for _, at := range p.places[:min(len(p.places), 2)] { // the first of all pays for what is made once
		if err := p.patiently(ctx, o, at, 0); err != nil {
			return err
		}
	}
	p.mu.Lock()
	p.own = nil
	p.mu.Unlock()
	began := time.Now()
	var done atomic.Int64
	failed := make(chan error, len(p.places)+1)
	var writing sync.WaitGroup
	for _, at := range p.places {
		writing.Go(func() {
			for n := 1; n <= o.messages; n++ {
				if err := p.patiently(ctx, o, at, n); err != nil {
					failed <- err
					return
				}
				done.Add(1)
			}
		})
	}
	finished := make(chan struct{})
	go func() { writing.Wait(); close(finished) }()
	if r.Kills, err = (&killer{b, &done, finished}).run(ctx, o); err != nil {
		return err
	}
	<-finished
	r.Took = time.Since(began)
	r.Messages = int(done.Load())
	close(failed)
	for err := range failed {
		r.Lost = append(r.Lost, err.Error())
	}
	return ctx.Err()
}

func (p *people) patiently(ctx context.Context, o options, at place, n int) error {
	ctx, cancel := context.WithTimeout(ctx, o.patience)
	defer cancel()
	return p.write(ctx, at, n)
}

// await waits until something is so.
func await(ctx context.Context, so func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
